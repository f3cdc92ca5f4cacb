import { ApiError, type DatasetUpdate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { splitMembers } from '../../json/cut-json.ts'
import { withTransaction } from '../../storage/relational/port.ts'
import type { DatasetRow } from '../../storage/relational/tables/datasets.ts'
import { assertDatasetName, assertDatasetText, assertDefinitions, toMetadataIndex } from './datasets.ts'
import {
  type DatasetView,
  selectDatasetByName,
  selectDatasetForUpdate,
  selectDatasetView,
  updateDataset,
} from './store.ts'

export type ChangeDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'analytics'> & {
  /**
   * Applies updates to examples of a dataset, and where its definition is new insists that all of its examples agree
   * with it.
   *
   * @param patches  JSON object as text: example id → update; undefined for none
   */
  readonly alignExamples: AlignExamples
}

export type AlignExamples = (
  deps: Pick<Deps, 'relational' | 'clock' | 'ids' | 'analytics'>,
  tenantId: string,
  dataset: DatasetRow,
  wish: { readonly patches: string | undefined; readonly isSchemaNew: boolean },
) => Promise<void>

/**
 * Changes a dataset; `bodyText` is the body that `body` was read from.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when the new name is taken; INVALID_REQUEST when examples do not fit a new schema
 */
export async function changeDataset(
  deps: ChangeDeps,
  tenantId: string,
  id: string,
  { body, bodyText }: { readonly body: DatasetUpdate; readonly bodyText: string },
): Promise<DatasetView> {
  if (body.name === null) throw new ApiError('INVALID_REQUEST', 'The name of a dataset cannot be null.')
  if (body.name !== undefined) assertDatasetName(body.name)
  assertDatasetText('description', body.description)
  const changes = toChanges(body, splitMembers(bodyText))
  assertDefinitions(changes)

  return deps.relational.transaction(async (tx) => {
    const before = await selectDatasetForUpdate(tx, tenantId, id)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Dataset not found')
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
    return (await selectDatasetView(tx, tenantId, id))!
  })
}

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

/** What is undefined in the body was absent or the sentinel, and stays. */
function toChanges(body: DatasetUpdate, texts: ReadonlyMap<string, string>): Changes {
  const text = (field: keyof DatasetUpdate) => (body[field] === null ? null : texts.get(field)!)
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
