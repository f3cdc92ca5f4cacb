import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { getDataset } from '../datasets/index.ts'
import { type ProjectRow, selectProjectsById } from '../projects/index.ts'

/**
 * Experiments of a dataset, in the order asked for.
 *
 * @throws ApiError NOT_FOUND for a dataset or experiment that is not there; INVALID_REQUEST for one over another dataset
 */
export async function getExperiments(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<ProjectRow[]> {
  const [, rows] = await Promise.all([getDataset(deps, tenantId, datasetId), selectProjectsById(deps, tenantId, ids)])
  return ids.map((id) => {
    const row = rows.get(id)
    if (row === undefined) throw new ApiError('NOT_FOUND', `Session not found: ${id}`)
    if (row.reference_dataset_id === datasetId) return row
    throw new ApiError('INVALID_REQUEST', `The session ${id} is no experiment of this dataset.`)
  })
}
