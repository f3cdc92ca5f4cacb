import { ApiError, type DatasetUpdate, timeOfEpochMs } from '@touchstone/contract'
import { getMemberText, splitMembers } from '@touchstone/formats/cut-json'
import { type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type DeletionRecord, noteExamples, recordDeletion } from '../../storage/record-deletion.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import { toRow } from '../../storage/relational/migrate.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import type { DatasetRow } from '../../storage/relational/tables/datasets.ts'
import { COUNT_ROW } from '../../storage/rows.ts'
import { detachExperiments } from '../projects/index.ts'
import { assertDatasetName, assertDefinitions, getDatasetView, toMetadataIndex } from './datasets.ts'
import {
  type DatasetView,
  deleteDatasetRows,
  lockDatasets,
  selectDatasetByName,
  selectDatasetForUpdate,
  selectDatasetsByIds,
  updateDataset,
} from './store.ts'

export type ChangeDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'analytics'> & {
  /**
   * Applies updates to examples of a dataset, and checks all of its examples when a schema is new.
   *
   * @param patches  JSON object as text: example id → update; undefined for none
   */
  readonly alignExamples: AlignExamples
}

export type AlignExamples = (
  deps: Pick<Deps, 'relational' | 'clock' | 'ids' | 'analytics'>,
  tenantId: string,
  dataset: DatasetRow,
  request: { readonly patches: string | undefined; readonly isSchemaNew: boolean },
) => Promise<void>

/**
 * Changes a dataset; `body` was parsed from `bodyText`.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when the new name is taken, or an expected value was changed; INVALID_REQUEST when examples do not fit a new
 * schema
 */
export async function changeDataset(
  deps: ChangeDeps,
  tenantId: string,
  id: string,
  { body, bodyText }: { readonly body: DatasetUpdate; readonly bodyText: string },
): Promise<DatasetView> {
  if (body.name === null) throw new ApiError('INVALID_REQUEST', 'The name of a dataset cannot be null.')
  if (body.name !== undefined) assertDatasetName(body.name)
  const changes = toChanges(body, splitMembers(bodyText))
  assertDefinitions(changes)

  return deps.relational.transaction(async (tx) => {
    const before = await selectDatasetForUpdate(tx, tenantId, id)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Dataset not found')
    assertExpected('The dataset', body.expected, {
      name: before.name,
      description: before.description,
      inputs_schema_definition: parseStored(before.inputs_schema),
      outputs_schema_definition: parseStored(before.outputs_schema),
      metadata: parseStored(before.metadata),
    })
    if (body.name != null) {
      const holder = await selectDatasetByName(tx, tenantId, body.name)
      if (holder !== undefined && holder.id !== id) {
        throw new ApiError('CONFLICT', 'Dataset with this name already exists.')
      }
    }
    const now = timeOfEpochMs(deps.clock())
    const after = { ...before, ...changes, modified_at: now > before.modified_at ? now : before.modified_at }
    await updateDataset(tx, tenantId, id, { ...changes, modified_at: after.modified_at })
    await deps.alignExamples({ ...deps, relational: withTransaction(deps.relational, tx) }, tenantId, after, {
      patches: body.patch_examples == null ? undefined : splitMembers(bodyText).get('patch_examples'),
      isSchemaNew: isNewSchema(before, after),
    })
    return getDatasetView({ relational: withTransaction(deps.relational, tx) }, tenantId, id)
  })
}

const parseStored = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

type Changes = Partial<
  Pick<
    DatasetRow,
    | 'name'
    | 'description'
    | 'inputs_schema'
    | 'outputs_schema'
    | 'transformations'
    | 'metadata'
    | 'metadata_index'
    | 'baseline_experiment_id'
  >
>

/** Undefined fields were absent or the sentinel, and keep their value. */
function toChanges(body: DatasetUpdate, texts: ReadonlyMap<string, string>): Changes {
  const text = (field: keyof DatasetUpdate) => (body[field] === null ? null : getMemberText(texts, field))
  const changes: Changes = {}
  if (body.name != null) changes.name = body.name
  if (body.description !== undefined) changes.description = body.description
  if (body.inputs_schema_definition !== undefined) changes.inputs_schema = text('inputs_schema_definition')
  if (body.outputs_schema_definition !== undefined) changes.outputs_schema = text('outputs_schema_definition')
  if (body.transformations !== undefined) changes.transformations = text('transformations')
  if (body.metadata !== undefined) {
    changes.metadata = text('metadata')
    changes.metadata_index = toMetadataIndex(changes.metadata)
  }
  if (body.baseline_experiment_id !== undefined) changes.baseline_experiment_id = body.baseline_experiment_id
  return changes
}

function isNewSchema(before: DatasetRow, after: DatasetRow): boolean {
  const isNew = (field: 'inputs_schema' | 'outputs_schema') => after[field] !== null && after[field] !== before[field]
  return isNew('inputs_schema') || isNew('outputs_schema')
}

const MAX_IDS = 100

/**
 * Deletes datasets with their examples, attachments, versions, tags and shares. Their experiments remain.
 *
 * @param requestedBy  name of the person or key, for the deletion record
 * @throws ApiError NOT_FOUND when one of the ids is unknown; then nothing is deleted
 */
export async function deleteDatasets(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  given: readonly string[],
  requestedBy: string | undefined,
): Promise<void> {
  const ids = [...new Set(given)]
  if (ids.length > MAX_IDS) throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} datasets can be deleted at once.`)
  await deps.relational.transaction(async (tx) => {
    // Locks first, because a concurrent upload would add examples to a deleted dataset.
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
  return toRow(result, COUNT_ROW).n
}
