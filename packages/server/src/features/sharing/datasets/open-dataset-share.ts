import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { findDatasetShare } from '../../../storage/relational/public-links.ts'
import { type DatasetRow, getDataset } from '../../datasets/index.ts'
import { selectExperimentIds } from '../../projects/index.ts'

/** What a token opens: one dataset of one workspace. */
export interface OpenDataset {
  readonly tenantId: string
  readonly dataset: DatasetRow
  readonly sharesProjects: boolean
  readonly token: string
}

/**
 * Opens what a public reader holds a token for.
 *
 * @throws ApiError NOT_FOUND, in the same words whether the token never was, was revoked, or opens something else
 */
export async function openDatasetShare(deps: Pick<Deps, 'relational'>, token: string): Promise<OpenDataset> {
  const share = await findDatasetShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Shared dataset not found')
  const dataset = await getDataset(deps, share.tenant_id, share.dataset_id)
  return { tenantId: share.tenant_id, dataset, sharesProjects: share.shares_projects, token: share.share_token }
}

/** The experiments that are open with the dataset: all, or none. */
export async function openExperiments(
  deps: Pick<Deps, 'relational'>,
  { tenantId, dataset, sharesProjects }: OpenDataset,
): Promise<readonly string[]> {
  return sharesProjects ? selectExperimentIds(deps, tenantId, dataset.id) : []
}

/** Those of the experiments asked for that are open; without a question, all that are. */
export async function openAmong(
  deps: Pick<Deps, 'relational'>,
  share: OpenDataset,
  asked: readonly string[] | null | undefined,
): Promise<string[]> {
  const open = await openExperiments(deps, share)
  const wanted = asked?.length ? new Set(asked) : undefined
  return open.filter((id) => wanted?.has(id) ?? true)
}
