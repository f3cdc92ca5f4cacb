import { ApiError } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type DeletionRecord, noteExamples, recordDeletion } from '../../storage/record-deletion.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import { detachExperiments } from '../projects/index.ts'
import { deleteDatasetRows, lockDatasets, selectDatasetsByIds } from './store.ts'

const MAX_IDS = 100

/**
 * Deletes datasets with their examples, attachments, versions, tags and shares. Their experiments stay.
 *
 * @param requestedBy  name of the person or key, for the record of the deletion
 * @throws ApiError NOT_FOUND when one of the ids is unknown; then nothing is deleted
 */
export async function deleteDatasets(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  given: readonly string[],
  requestedBy: string | undefined,
): Promise<void> {
  const ids = [...new Set(given)]
  if (ids.length > MAX_IDS) throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} datasets are deleted at once.`)
  await deps.relational.transaction(async (tx) => {
    // Locked first: an upload under way would leave its examples to a dataset that is gone.
    const known = await lockDatasets(tx, tenantId, ids)
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) {
      throw new ApiError(
        'NOT_FOUND',
        ids.length === 1 ? 'Dataset not found' : `Dataset not found: ${unknown.join(', ')}`,
      )
    }
    const names = (await selectDatasetsByIds(tx, tenantId, ids)).map(({ name }) => `"${name}"`).sort()
    const subject = `${ids.length === 1 ? 'Dataset' : 'Datasets'} ${names.join(', ')}`
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    await recordDeletion(inside, { tenantId, kind: 'dataset', subject, requestedBy }, async (record) => {
      await record.begin()
      await deleteAndCount(tx, tenantId, ids, record)
    })
  })
}

async function deleteAndCount(tx: Database, tenantId: string, ids: readonly string[], record: DeletionRecord) {
  const ofDatasets = sql`tenant_id = ${tenantId} and ${isAnyOf(sql`dataset_id`, ids)}`
  await noteExamples(tx, ofDatasets, record)
  const shares = await countRows(tx, sql`dataset_shares where ${ofDatasets}`)
  await detachExperiments(tx, tenantId, ids)
  await deleteDatasetRows(tx, tenantId, ids)
  await record.count({ shares })
  for (const table of ['example_states', 'examples', 'dataset_shares']) {
    record.addRemaining(await countRows(tx, sql`${sql.identifier(table)} where ${ofDatasets}`))
  }
}

async function countRows(tx: Database, from: SQL): Promise<number> {
  const result = await tx.execute(sql`select count(*)::int as n from ${from}`)
  return toRows<{ n: number }>(result)[0]!.n
}
