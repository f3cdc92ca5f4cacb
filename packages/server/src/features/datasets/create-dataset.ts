import { ApiError, type DataType, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { searchable } from '../../storage/relational/searchable.ts'
import type { DatasetRow } from '../../storage/relational/tables/datasets.ts'
import { checkName, checkText } from './check-text.ts'
import { checkSchema, checkTransformations } from './schemas/index.ts'
import { insertDataset, selectDatasetByName } from './store.ts'

/** A dataset to be; what is JSON is its text as it came. */
export interface NewDataset {
  readonly name: string
  readonly id?: string | null | undefined
  readonly description?: string | null | undefined
  readonly data_type?: DataType | null | undefined
  readonly inputs_schema?: string | null | undefined
  readonly outputs_schema?: string | null | undefined
  readonly transformations?: string | null | undefined
  readonly metadata?: string | null | undefined
  readonly externally_managed?: boolean | null | undefined
  readonly created_at?: string | null | undefined
}

/**
 * Creates an empty dataset.
 *
 * @throws ApiError CONFLICT when its name or id is taken, INVALID_REQUEST for a schema that is none
 */
export async function createDataset(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  given: NewDataset,
): Promise<DatasetRow> {
  checkName(given.name)
  checkText('description', given.description)
  checkDefinitions(given)
  const now = timeOfEpochMs(clock())
  const inserted = await insertDataset(relational.db, {
    id: given.id ?? ids(),
    tenant_id: tenantId,
    name: given.name,
    description: given.description ?? null,
    data_type: given.data_type ?? 'kv',
    inputs_schema: given.inputs_schema ?? null,
    outputs_schema: given.outputs_schema ?? null,
    transformations: given.transformations ?? null,
    metadata: given.metadata ?? null,
    metadata_index: metadataIndex(given.metadata),
    externally_managed: given.externally_managed ?? false,
    created_at: given.created_at ?? now,
    modified_at: now,
  })
  if (inserted !== undefined) return inserted
  const hasName = (await selectDatasetByName(relational.db, tenantId, given.name)) !== undefined
  throw new ApiError('CONFLICT', `Dataset with this ${hasName ? 'name' : 'id'} already exists.`)
}

/** @throws ApiError INVALID_REQUEST saying what is wrong with which definition */
export function checkDefinitions(
  given: Pick<NewDataset, 'inputs_schema' | 'outputs_schema' | 'transformations'>,
): void {
  if (given.inputs_schema != null) checkSchema(given.inputs_schema)
  if (given.outputs_schema != null) checkSchema(given.outputs_schema)
  if (given.transformations != null) checkTransformations(given.transformations)
}

/** What filters see of metadata. */
export function metadataIndex(metadata: string | null | undefined): unknown {
  return metadata == null ? {} : searchable(JSON.parse(metadata))
}
