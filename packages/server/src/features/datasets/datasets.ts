import { ApiError, type Dataset, type DatasetListQuery, type DataType, timeOfEpochMs } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import { readMetadataQuery } from '../../storage/relational/filter.ts'
import { searchable } from '../../storage/relational/like.ts'
import type { DatasetRow } from '../../storage/relational/tables/datasets.ts'
import { assertSchema, assertTransformations } from './schemas/index.ts'
import {
  countDatasetRows,
  type DatasetFilter,
  type DatasetView,
  insertDataset,
  selectDataset,
  selectDatasetByName,
  selectDatasetForUpdate,
  selectDatasetPage,
  selectDatasetsByIds,
  selectDatasetView,
} from './store.ts'

/** Fields of a new dataset, with raw JSON. */
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
 * @throws ApiError CONFLICT when its name or id is taken, INVALID_REQUEST for an invalid schema
 */
export async function createDataset(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  given: NewDataset,
): Promise<DatasetRow> {
  assertDatasetName(given.name)
  assertDefinitions(given)
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
    metadata_index: toMetadataIndex(given.metadata),
    externally_managed: given.externally_managed ?? false,
    created_at: given.created_at ?? now,
    modified_at: now,
  })
  if (inserted !== undefined) return inserted
  const hasName = (await selectDatasetByName(relational.db, tenantId, given.name)) !== undefined
  throw new ApiError('CONFLICT', `Dataset with this ${hasName ? 'name' : 'id'} already exists.`)
}

/** @throws ApiError INVALID_REQUEST with the definition and its problem */
export function assertDefinitions(
  given: Pick<NewDataset, 'inputs_schema' | 'outputs_schema' | 'transformations'>,
): void {
  if (given.inputs_schema != null) assertSchema(given.inputs_schema)
  if (given.outputs_schema != null) assertSchema(given.outputs_schema)
  if (given.transformations != null) assertTransformations(given.transformations)
}

/** The form of metadata that filters search. */
export function toMetadataIndex(metadata: string | null | undefined): unknown {
  return metadata == null ? {} : searchable(JSON.parse(metadata))
}

const MAX_NAME = 1000

/** @throws ApiError INVALID_REQUEST for an invalid name */
export function assertDatasetName(name: string): void {
  if (name.length === 0 || name.length > MAX_NAME) {
    throw new ApiError('INVALID_REQUEST', `The name of a dataset has 1 to ${MAX_NAME} characters.`)
  }
}

/** JSON texts of a page of the datasets that match a query. */
export async function listDatasets(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  query: DatasetListQuery,
): Promise<string[]> {
  const { sort_by: orderBy, sort_by_desc: isDescending, offset, limit } = query
  const found = await selectDatasetPage(relational.db, tenantId, toFilter(query), {
    orderBy,
    isDescending,
    offset,
    limit,
  })
  const withoutCount = query.exclude?.includes('example_count') ?? false
  return found.map((view) => presentDataset(view, { withoutCount }))
}

function toFilter(query: DatasetListQuery): DatasetFilter {
  return {
    ids: query.id,
    name: query.name,
    nameContains: query.name_contains,
    dataTypes: query.data_type,
    metadata: query.metadata === undefined ? undefined : readMetadataQuery(query.metadata),
  }
}

/**
 * A dataset by id.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getDataset(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
): Promise<DatasetRow> {
  return getFound(await selectDataset(relational.db, tenantId, id))
}

/**
 * A dataset by id, locked until the transaction of `relational` ends.
 *
 * @throws ApiError NOT_FOUND
 */
export async function lockDataset(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
): Promise<DatasetRow> {
  return getFound(await selectDatasetForUpdate(relational.db, tenantId, id))
}

/** Datasets by id; unknown ids are left out. */
export async function selectDatasetMap(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, DatasetRow>> {
  const rows = await selectDatasetsByIds(relational.db, tenantId, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * A dataset with the statistics of its experiments.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getDatasetView(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
): Promise<DatasetView> {
  return getFound(await selectDatasetView(relational.db, tenantId, id))
}

export function countDatasets({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<number> {
  return countDatasetRows(relational.db, tenantId)
}

function getFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new ApiError('NOT_FOUND', 'Dataset not found')
  return found
}

type Spliced = 'inputs_schema_definition' | 'outputs_schema_definition' | 'transformations' | 'metadata'

/** A dataset as JSON text with raw schemas and metadata. */
export function presentDataset(
  { row, sessionCount, lastSessionStartTime, lastSessionId }: DatasetView,
  { withoutCount = false }: { readonly withoutCount?: boolean } = {},
): string {
  const dataset: Omit<Dataset, Spliced> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    modified_at: row.modified_at,
    data_type: row.data_type as Dataset['data_type'],
    externally_managed: row.externally_managed,
    example_count: withoutCount ? null : row.example_count,
    session_count: sessionCount,
    last_session_start_time: lastSessionStartTime,
    last_session_id: lastSessionId,
    baseline_experiment_id: row.baseline_experiment_id,
  }
  const raw: Record<Spliced, string | null> = {
    inputs_schema_definition: row.inputs_schema,
    outputs_schema_definition: row.outputs_schema,
    transformations: row.transformations,
    metadata: row.metadata,
  }
  return addRawMembers(dataset, raw)
}
