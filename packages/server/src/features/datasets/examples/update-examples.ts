import { ApiError, type ExampleBulkUpdate, timeOfEpochMs } from '@touchstone/contract'
import { and, count, eq, sql } from 'drizzle-orm'
import { type DeletionRecord, noteExamples, recordDeletion } from '../../../storage/record-deletion.ts'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
import { advanceVersion, getDataset, lockDataset, nextVersion } from '../index.ts'
import { changeExamples, changeExamplesAcross, type WriteDeps } from './change-examples.ts'
import type { ExampleChange } from './example-content.ts'
import { ExampleProblems } from './problems.ts'
import { toUpdate } from './read-bodies.ts'
import { isInNewestVersion, selectDatasetIds } from './select-examples.ts'

/** One update and the text that it was read from. */
export interface GivenUpdate {
  readonly body: ExampleBulkUpdate
  readonly text: string
}

/**
 * Changes examples wherever they are, all or none; one version in each of their datasets.
 *
 * @throws ApiError naming every example that cannot be changed, and why
 */
export async function updateExamples(deps: WriteDeps, tenantId: string, given: readonly GivenUpdate[]): Promise<void> {
  const problems = new ExampleProblems()
  const homes = await selectDatasetIds(
    deps.relational.db,
    tenantId,
    given.map(({ body }) => body.id),
  )
  for (const { body } of given) {
    const home = homes.get(body.id)
    if (home !== undefined && body.dataset_id != null && body.dataset_id !== home) {
      problems.add('INVALID_REQUEST', [body.id, 'dataset_id'], 'an example stays in its dataset')
    }
  }
  const changes = given.map(({ body, text }) => toUpdate(body.id, body, text))
  await changeInDatasets(deps, tenantId, changes, homes, problems)
}

/**
 * Deletes examples from the newest version, all or none; one version in each of their datasets.
 *
 * @throws ApiError NOT_FOUND naming every unknown id
 */
export async function deleteExamples(deps: WriteDeps, tenantId: string, given: readonly string[]): Promise<void> {
  const ids = [...new Set(given)]
  const homes = await selectDatasetIds(deps.relational.db, tenantId, ids)
  const changes = ids.map((id) => ({ do: 'delete', id }) as const)
  await changeInDatasets(deps, tenantId, changes, homes, new ExampleProblems())
}

/**
 * Deletes an example of a dataset; one that it does not have was deleted before.
 *
 * @throws ApiError NOT_FOUND without the dataset; CONFLICT for an example of another one
 */
export async function deleteExampleOfDataset(
  deps: WriteDeps,
  tenantId: string,
  { dataset_id, example_id }: { readonly dataset_id: string; readonly example_id: string },
): Promise<void> {
  const dataset = await getDataset(deps, tenantId, dataset_id)
  try {
    await changeExamples(deps, tenantId, dataset, [{ do: 'delete', id: example_id }])
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
  }
}

async function changeInDatasets(
  deps: WriteDeps,
  tenantId: string,
  changes: readonly (ExampleChange & { readonly id: string })[],
  homes: ReadonlyMap<string, string>,
  problems: ExampleProblems,
): Promise<void> {
  const byDataset = new Map<string, ExampleChange[]>()
  for (const change of changes) {
    const home = homes.get(change.id)
    if (home === undefined) problems.add('NOT_FOUND', [change.id], 'Example not found')
    else if (byDataset.has(home)) byDataset.get(home)!.push(change)
    else byDataset.set(home, [change])
  }
  problems.throwIfAny()
  await changeExamplesAcross(deps, tenantId, byDataset)
}

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
    const homes = await selectDatasetIds(tx, tenantId, ids)
    const problems = new ExampleProblems()
    for (const id of ids) if (!homes.has(id)) problems.add('NOT_FOUND', [id], 'Example not found')
    problems.throwIfAny()
    const subject = ids.length === 1 ? `Example ${ids[0]}` : `${ids.length} examples`
    await recordDeletion(inside, { tenantId, kind: 'examples', subject, requestedBy }, async (record) => {
      for (const datasetId of [...new Set(homes.values())].sort()) {
        const ofDataset = ids.filter((id) => homes.get(id) === datasetId)
        await eraseInDataset(inside, tx, tenantId, datasetId, ofDataset, record)
      }
    })
  })
}

async function eraseInDataset(
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
    .where(and(isInNewestVersion(tenantId, datasetId), ofIds))
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
