import { ApiError, type ExampleBulkUpdate, ExampleUpdate, parseUuid, timeOfEpochMs } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { and, count, eq, sql } from 'drizzle-orm'
import { type DeletionRecord, noteExamples, recordDeletion } from '../../../storage/record-deletion.ts'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import { type Database, withTransaction } from '../../../storage/relational/port.ts'
import { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
import { type AlignExamples, advanceVersion, getDataset, lockDataset, nextVersion } from '../index.ts'
import { openPreparer } from '../schemas/index.ts'
import { changeExamples, changeExamplesAcross, type WriteDeps } from './change-examples.ts'
import type { ExampleChange } from './example-content.ts'
import { toUpdate } from './example-drafts.ts'
import { ExampleProblems } from './problems.ts'
import { isInNewestVersion, matchesDataset, selectDatasetIds } from './select-examples.ts'

/** One update and its JSON text. */
export interface GivenUpdate {
  readonly body: ExampleBulkUpdate
  readonly text: string
}

/**
 * Changes examples of any dataset, all or none; one version in each of their datasets.
 *
 * @throws ApiError with every example that cannot be changed, and the reason
 */
export async function updateExamples(deps: WriteDeps, tenantId: string, given: readonly GivenUpdate[]): Promise<void> {
  const problems = new ExampleProblems()
  const datasetIds = await selectDatasetIds(
    deps.relational.db,
    tenantId,
    given.map(({ body }) => body.id),
  )
  for (const { body } of given) {
    const datasetId = datasetIds.get(body.id)
    if (datasetId !== undefined && body.dataset_id != null && body.dataset_id !== datasetId) {
      problems.add('INVALID_REQUEST', [body.id, 'dataset_id'], 'an example stays in its dataset')
    }
  }
  const changes = given.map(({ body, text }) => toUpdate(body.id, body, text))
  await changeInDatasets(deps, tenantId, changes, datasetIds, problems)
}

/**
 * Deletes examples from the newest version, all or none; one version in each of their datasets.
 *
 * @throws ApiError NOT_FOUND with every unknown id
 */
export async function deleteExamples(deps: WriteDeps, tenantId: string, given: readonly string[]): Promise<void> {
  const ids = [...new Set(given)]
  const datasetIds = await selectDatasetIds(deps.relational.db, tenantId, ids)
  const changes = ids.map((id) => ({ do: 'delete', id }) as const)
  await changeInDatasets(deps, tenantId, changes, datasetIds, new ExampleProblems())
}

/**
 * Deletes an example of a dataset; does nothing when the dataset does not have it.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset; CONFLICT for an example of another one
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
  datasetIds: ReadonlyMap<string, string>,
  problems: ExampleProblems,
): Promise<void> {
  const byDataset = new Map<string, ExampleChange[]>()
  for (const change of changes) {
    const datasetId = datasetIds.get(change.id)
    if (datasetId === undefined) problems.add('NOT_FOUND', [change.id], 'Example not found')
    else {
      const ofDataset = byDataset.get(datasetId) ?? []
      ofDataset.push(change)
      byDataset.set(datasetId, ofDataset)
    }
  }
  problems.throwIfAny()
  await changeExamplesAcross(deps, tenantId, byDataset)
}

/**
 * Erases the content of examples from every version; one new version in each of their datasets. Their ids stay
 * reserved.
 *
 * @param requestedBy  name of the person or key, for the deletion record
 * @throws ApiError NOT_FOUND with every unknown id; then nothing is erased
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
    const datasetIds = await selectDatasetIds(tx, tenantId, ids)
    const problems = new ExampleProblems()
    for (const id of ids) if (!datasetIds.has(id)) problems.add('NOT_FOUND', [id], 'Example not found')
    problems.throwIfAny()
    const subject = ids.length === 1 ? `Example ${ids[0]}` : `${ids.length} examples`
    await recordDeletion(inside, { tenantId, kind: 'examples', subject, requestedBy }, async (record) => {
      for (const datasetId of [...new Set(datasetIds.values())].sort()) {
        const ofDataset = ids.filter((id) => datasetIds.get(id) === datasetId)
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
  const matching = sql`(${matchesDataset(tenantId, datasetId)} and ${ofIds})`
  await noteExamples(tx, matching, record)
  await tx.delete(exampleStates).where(matching)
  const [left] = await tx.select({ n: count() }).from(exampleStates).where(matching)
  record.addRemaining(left?.n ?? 0)
  // The search index contains words of the examples.
  await tx.execute(sql`delete from example_words where dataset_id = ${datasetId} and ${isAnyOf(sql`example_id`, ids)}`)
  await tx
    .update(examples)
    .set({ erased_at: timeOfEpochMs(version.getTime()) })
    .where(and(eq(examples.tenant_id, tenantId), isAnyOf(sql`${examples.id}`, ids)))
  await advanceVersion(tx, dataset, { version, added: -(live?.n ?? 0), lastNumber: dataset.last_number })
}

/**
 * Updates examples together with their dataset, and checks all of them when a schema is new.
 *
 * @throws ApiError INVALID_REQUEST with every example that does not fit
 */
export const alignExamples: AlignExamples = async (deps, tenantId, dataset, { patches, isSchemaNew }) => {
  if (patches !== undefined) {
    const changes = readPatches(patches)
    if (changes.length > 0) await changeExamples(deps, tenantId, dataset, changes)
  }
  if (!isSchemaNew) return
  const problems = new ExampleProblems()
  const check = openPreparer({ ...dataset, transformations: null })
  for (let after = ''; ; ) {
    const rows = await deps.relational.db
      .select({ id: exampleStates.example_id, inputs: exampleStates.inputs, outputs: exampleStates.outputs })
      .from(exampleStates)
      .where(
        and(
          isInNewestVersion(tenantId, dataset.id),
          after === '' ? undefined : sql`${exampleStates.example_id} > ${after}::uuid`,
        ),
      )
      .orderBy(exampleStates.example_id)
      .limit(500)
    for (const { id, ...payloads } of rows) {
      for (const { path, message } of check(payloads).violations) {
        problems.add('INVALID_REQUEST', [id, ...path.split('/').filter((step) => step !== '')], message)
      }
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
  }
  problems.throwIfAny()
}

function readPatches(text: string) {
  const problems = new ExampleProblems()
  const changes = [...splitMembers(text)].flatMap(([key, patch]) => {
    const id = parseUuid(key)
    if (id === undefined) problems.add('INVALID_REQUEST', [key.slice(0, 100)], 'is not the id of an example')
    const read = ExampleUpdate.safeParse(JSON.parse(patch))
    for (const { path, message } of read.error?.issues ?? []) {
      problems.add('INVALID_REQUEST', [key.slice(0, 100), ...path.map(String)], message)
    }
    return id === undefined || !read.success ? [] : [toUpdate(id, read.data, patch)]
  })
  problems.throwIfAny()
  return changes
}
