import { ApiError, type ComparativeExperimentCreate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { ComparativeRow } from '../../../storage/relational/tables/experiments.ts'
import { getDataset } from '../../datasets/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { insertComparison } from './store.ts'

type CreateDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Names experiments that are compared.
 *
 * @param extraText  JSON text of `extra` as it came
 * @throws ApiError NOT_FOUND for an unknown experiment or dataset, INVALID_REQUEST where they are not over one dataset,
 *   CONFLICT when the id is taken
 */
export async function createComparison(
  deps: CreateDeps,
  tenantId: string,
  body: ComparativeExperimentCreate,
  extraText: string | undefined,
): Promise<ComparativeRow> {
  for (const field of ['name', 'description'] as const) {
    if (isStorable(body[field] ?? '')) continue
    throw new ApiError('INVALID_REQUEST', `The ${field} cannot hold NUL or half a surrogate pair.`)
  }
  const experimentIds = [...new Set(body.experiment_ids)]
  const now = timeOfEpochMs(deps.clock())
  const row = {
    id: body.id ?? deps.ids(),
    tenant_id: tenantId,
    reference_dataset_id: await datasetOf(deps, tenantId, experimentIds, body.reference_dataset_id),
    experiment_ids: experimentIds,
    name: body.name ?? null,
    description: body.description ?? null,
    extra: extraText ?? null,
    created_at: body.created_at ?? now,
    modified_at: body.modified_at ?? body.created_at ?? now,
  }
  if (await insertComparison(deps.relational.db, row)) return row
  throw new ApiError('CONFLICT', 'A comparative experiment of this id already exists.')
}

async function datasetOf(
  deps: CreateDeps,
  tenantId: string,
  experimentIds: readonly string[],
  given: string | null | undefined,
): Promise<string> {
  const experiments = await selectProjectsById(deps, tenantId, experimentIds)
  const unknown = experimentIds.find((id) => !experiments.has(id))
  if (unknown !== undefined) throw new ApiError('NOT_FOUND', `Session not found: ${unknown}`)
  const datasetId = given ?? experiments.get(experimentIds[0]!)!.reference_dataset_id
  if (datasetId === null) throw new ApiError('INVALID_REQUEST', 'The sessions have no reference dataset.')
  const { id } = await getDataset(deps, tenantId, datasetId)
  const stranger = experimentIds.find((one) => experiments.get(one)!.reference_dataset_id !== id)
  if (stranger === undefined) return id
  throw new ApiError('INVALID_REQUEST', `The session ${stranger} is no experiment of the dataset ${id}.`)
}
