import { ApiError, ProjectListQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { findDatasetShare } from '../../../storage/relational/public-links.ts'
import { type ListedProject, listProjects, type StatsDeps } from '../../projects/index.ts'
import { type OpenDataset, openDatasetShare } from './dataset-share.ts'

type ListDeps = Pick<Deps, 'relational'> & StatsDeps

/** Tokens of one bulk request. */
const MAX_TOKENS = 100

/** Experiments that are open with a dataset; whatever the query says of datasets, they are of this one. */
export async function listPublicSessions(
  deps: ListDeps,
  { tenantId, dataset, sharesProjects }: OpenDataset,
  query: ProjectListQuery,
): Promise<ListedProject[]> {
  if (!sharesProjects) return []
  return listProjects(deps, tenantId, { ...query, reference_dataset: [dataset.id], reference_free: undefined })
}

/** All experiments that are open with several datasets. Tokens that open none are passed over. */
export async function listSessionsInBulk(
  deps: ListDeps,
  tokens: readonly string[] | undefined,
): Promise<ListedProject[]> {
  if (!tokens?.length) throw new ApiError('INVALID_REQUEST', 'Name datasets by share_tokens.')
  if (tokens.length > MAX_TOKENS) throw new ApiError('INVALID_REQUEST', `At most ${MAX_TOKENS} share_tokens at once.`)
  const found: ListedProject[] = []
  for (const token of new Set(tokens)) {
    if ((await findDatasetShare(deps.relational.db, token)) === undefined) continue
    const share = await openDatasetShare(deps, token)
    for (let offset = 0, more = true; more; offset += 100) {
      const page = await listPublicSessions(deps, share, ProjectListQuery.parse({ offset, limit: 100 }))
      found.push(...page)
      more = page.length === 100
    }
  }
  return found
}
