import type { QueueItemUpdate, QueueRunDeletion } from '@touchstone/contract'
import { and, desc, eq, isNotNull, not, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { isAnyOf } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { QueueItemRow } from '../../storage/relational/tables/annotation-queues.ts'
import { queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { unknownItem } from './review-item.ts'

interface ItemKey {
  readonly tenantId: string
  readonly queueId: string
  /** Of the item, or of its run: clients send either. */
  readonly id: string
}

/** @throws ApiError NOT_FOUND */
export async function getItem(db: Database, key: ItemKey): Promise<QueueItemRow> {
  const [item] = await db
    .select()
    .from(queueItems)
    .where(and(ofQueue(key), or(eq(queueItems.id, key.id), eq(queueItems.run_id, key.id))))
    .orderBy(desc(sql`${queueItems.id} = ${key.id}::uuid`))
    .limit(1)
  if (item === undefined) throw unknownItem()
  return item
}

/** @throws ApiError NOT_FOUND */
export async function changeItem(db: Database, key: ItemKey, update: QueueItemUpdate): Promise<QueueItemRow> {
  const item = await getItem(db, key)
  const changes = {
    added_at: update.added_at ?? item.added_at,
    last_reviewed_time: update.last_reviewed_time ?? item.last_reviewed_time,
  }
  const isOne = and(ofQueue(key), eq(queueItems.id, item.id))
  const [changed] = await db.update(queueItems).set(changes).where(isOne).returning()
  if (changed === undefined) throw unknownItem()
  return changed
}

/** @returns how many runs were removed */
export async function removeRuns(
  db: Database,
  queue: Omit<ItemKey, 'id'>,
  { run_ids, delete_all, exclude_run_ids }: z.output<typeof QueueRunDeletion>,
): Promise<number> {
  const isOneOf = (ids: readonly string[]) => or(isAnyOf(queueItems.run_id, ids), isAnyOf(queueItems.id, ids))!
  const wanted = delete_all ? undefined : isOneOf(run_ids ?? [])
  const spared = exclude_run_ids?.length ? not(isOneOf(exclude_run_ids)) : undefined
  const rows = await db
    .delete(queueItems)
    .where(and(ofQueue(queue), isNotNull(queueItems.run_id), wanted, spared))
    .returning({ id: queueItems.id })
  return rows.length
}

const ofQueue = ({ tenantId, queueId }: Omit<ItemKey, 'id'>) =>
  and(eq(queueItems.tenant_id, tenantId), eq(queueItems.queue_id, queueId))
