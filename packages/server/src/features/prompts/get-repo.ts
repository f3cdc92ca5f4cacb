import { ApiError, REPO_HANDLE } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { type RepoView, selectRepo } from './store.ts'

/** Names of a repo as a path has them; `-` is the caller's own workspace. */
export interface RepoPath {
  readonly owner: string
  readonly repo: string
}

type Rows = Pick<Deps, 'relational'>

/**
 * A repo that the caller may read: one of its own workspace, or a public one. Of all others nothing is told, not even
 * that they exist.
 *
 * @throws ApiError NOT_FOUND; UNAUTHENTICATED when `-` stands for nobody's workspace
 */
export async function getRepo({ relational }: Rows, caller: Caller | undefined, path: RepoPath): Promise<RepoView> {
  if (path.owner === '-' && caller === undefined) throw new ApiError('UNAUTHENTICATED')
  if (!REPO_HANDLE.test(path.repo) || !(path.owner === '-' || REPO_HANDLE.test(path.owner))) throw notFound()
  const owner = path.owner === '-' ? { tenantId: caller!.tenantId } : { handle: path.owner }
  const view = await selectRepo(relational.db, owner, path.repo, caller?.tenantId)
  if (view === undefined || (!view.row.is_public && isForeign(view, caller))) throw notFound()
  return view
}

/**
 * A repo that the caller may change.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN for a public one of another workspace
 */
export async function getOwnRepo(deps: Rows, caller: Caller, path: RepoPath): Promise<RepoView> {
  const view = await getRepo(deps, caller, path)
  if (isForeign(view, caller)) throw new ApiError('FORBIDDEN', 'This repository belongs to another workspace.')
  return view
}

/** Whether a repo belongs to another workspace than the reader's: what it holds is not to be trusted. */
export function isForeign({ row }: Pick<RepoView, 'row'>, caller: Caller | undefined): boolean {
  return row.tenant_id !== caller?.tenantId
}

const notFound = () => new ApiError('NOT_FOUND', 'Repository not found')
