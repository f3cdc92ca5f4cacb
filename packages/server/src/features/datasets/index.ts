import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { DatasetRow } from '../../storage/relational/tables/datasets.ts'
import {
  countRows,
  type DatasetView,
  selectDataset,
  selectDatasetForUpdate,
  selectDatasetsByIds,
  selectView,
} from './store.ts'

export { type DatasetRow, datasets, datasetTags, datasetVersions } from '../../storage/relational/tables/datasets.ts'
export { type Advance, advanceVersion, nextVersion } from './advance-version.ts'
export type { FitExamples } from './change-dataset.ts'
export { createDataset, type NewDataset } from './create-dataset.ts'
export { listDatasets } from './list-datasets.ts'
export { presentDataset } from './present.ts'
export { resolveVersion, versionOfTag } from './resolve-version.ts'
export { datasetRoutes } from './routes.ts'
export { type DatasetView, selectDataset, selectDatasetByName, updateDataset } from './store.ts'

type Rows = Pick<Deps, 'relational'>

/**
 * The dataset of an id.
 *
 * @throws ApiError NOT_FOUND
 */
export async function findDataset({ relational }: Rows, tenantId: string, id: string): Promise<DatasetRow> {
  return known(await selectDataset(relational.db, tenantId, id))
}

/**
 * The dataset of an id, locked until the transaction ends that `relational` has joined.
 *
 * @throws ApiError NOT_FOUND
 */
export async function lockDataset({ relational }: Rows, tenantId: string, id: string): Promise<DatasetRow> {
  return known(await selectDatasetForUpdate(relational.db, tenantId, id))
}

/** Datasets of ids, by id; unknown ids are left out. */
export async function datasetsById(
  { relational }: Rows,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, DatasetRow>> {
  const rows = await selectDatasetsByIds(relational.db, tenantId, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * A dataset with the figures of its experiments, to be presented.
 *
 * @throws ApiError NOT_FOUND
 */
export async function viewDataset({ relational }: Rows, tenantId: string, id: string): Promise<DatasetView> {
  return known(await selectView(relational.db, tenantId, id))
}

export function countDatasets({ relational }: Rows, tenantId: string): Promise<number> {
  return countRows(relational.db, tenantId)
}

function known<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new ApiError('NOT_FOUND', 'Dataset not found')
  return found
}
