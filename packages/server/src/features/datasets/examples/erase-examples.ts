import { timeOfEpochMs } from '@touchstone/contract'
import { and, count, eq, sql } from 'drizzle-orm'
import { isAnyOf } from '../../../storage/relational/columns-of-rows.ts'
import { type Database, withTransaction } from '../../../storage/relational/port.ts'
import { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
import { type DeletionRecord, noteExamples, recordDeletion } from '../../../storage/removals/index.ts'
import { advanceVersion, lockDataset, nextVersion } from '../index.ts'
import type { WriteDeps } from './change-examples.ts'
import { homesOf } from './homes.ts'
import { Problems } from './problems.ts'
import { newestStates } from './states.ts'

/**
 * Erases what examples held from every version; one new version in each of their datasets. Their ids stay taken.
 *
 * @param requestedBy  name of the person or key, for the record of the deletion
 * @throws ApiError NOT_FOUND naming every unknown id; then nothing is erased
 */
export async function eraseExamples(
  deps: WriteDeps,
  tenantId: string,
  given: readonly string[],
  requestedBy: string | undefined,
): Promise<void> {
  const ids = [...new Set(given)]
  await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const homes = await homesOf(tx, tenantId, ids)
    const problems = new Problems()
    for (const id of ids) if (!homes.has(id)) problems.add('NOT_FOUND', [id], 'Example not found')
    problems.throwIfAny()
    const subject = ids.length === 1 ? `Example ${ids[0]}` : `${ids.length} examples`
    await recordDeletion(inside, { tenantId, kind: 'examples', subject, requestedBy }, async (record) => {
      for (const datasetId of [...new Set(homes.values())].sort()) {
        const ofDataset = ids.filter((id) => homes.get(id) === datasetId)
        await eraseOf(inside, tx, tenantId, datasetId, ofDataset, record)
      }
    })
  })
}

async function eraseOf(
  deps: WriteDeps,
  tx: Database,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
  record: DeletionRecord,
): Promise<void> {
  const dataset = await lockDataset(deps, tenantId, datasetId)
  const version = nextVersion(deps, dataset)
  const ofIds = isAnyOf(exampleStates.example_id, ids)
  const [live] = await tx
    .select({ n: count() })
    .from(exampleStates)
    .where(and(newestStates(tenantId, datasetId), ofIds))
  const doomed = and(eq(exampleStates.dataset_id, datasetId), eq(exampleStates.tenant_id, tenantId), ofIds)!
  await noteExamples(tx, doomed, record)
  await tx.delete(exampleStates).where(doomed)
  const [left] = await tx.select({ n: count() }).from(exampleStates).where(doomed)
  record.addRemaining(left?.n ?? 0)
  // Words that a search finds them by are theirs too.
  await tx.execute(sql`delete from example_words where dataset_id = ${datasetId} and ${isAnyOf(sql`example_id`, ids)}`)
  await tx
    .update(examples)
    .set({ erased_at: timeOfEpochMs(version.getTime()) })
    .where(and(eq(examples.tenant_id, tenantId), isAnyOf(sql`${examples.id}`, ids)))
  await advanceVersion(tx, dataset, { version, added: -(live?.n ?? 0), lastNumber: dataset.last_number })
}
