import { ApiError } from '@touchstone/contract'
import type { Database } from '../../storage/relational/port.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'
import { selectQueue } from './store.ts'

/**
 * The queue of an id.
 *
 * @param lock  until the transaction ends: `share` keeps the queue as it is, `update` lets one change it at a time
 * @throws ApiError NOT_FOUND
 */
export async function getQueue(
  db: Database,
  tenantId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<QueueRow> {
  const row = await selectQueue(db, tenantId, id, lock)
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Annotation queue not found')
  return row
}
