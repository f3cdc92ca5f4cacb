import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { findOwnRepo, findRepo, type RepoPath, type RepoView } from '../index.ts'

type Rows = Pick<Deps, 'relational'>

/**
 * An agent or skill that the caller may read.
 *
 * @param type  which of both; absent, either
 * @throws ApiError NOT_FOUND, also for a prompt of that name
 */
export async function findDirectory(
  deps: Rows,
  caller: Caller | undefined,
  path: RepoPath,
  type?: 'agent' | 'skill',
): Promise<RepoView> {
  return insist(await findRepo(deps, caller, path), type)
}

/** @throws ApiError NOT_FOUND; FORBIDDEN for a public one of another workspace */
export async function findOwnDirectory(deps: Rows, caller: Caller, path: RepoPath): Promise<RepoView> {
  return insist(await findOwnRepo(deps, caller, path))
}

function insist(view: RepoView, type?: 'agent' | 'skill'): RepoView {
  const { repo_type } = view.row
  const isOne = type === undefined ? repo_type === 'agent' || repo_type === 'skill' : repo_type === type
  if (!isOne) throw new ApiError('NOT_FOUND', 'Repository not found')
  return view
}
