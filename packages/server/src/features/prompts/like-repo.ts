import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { findRepo, type RepoPath } from './find-repo.ts'
import { selectRepoForUpdate, writeLike } from './store.ts'

/**
 * Likes a repo, or no longer; the same wish twice changes nothing. A key speaks for its workspace, so a workspace likes
 * once. Public repos of others may be liked too.
 *
 * @returns how many like it now
 */
export async function likeRepo(
  deps: Pick<Deps, 'relational'>,
  caller: Caller,
  path: RepoPath,
  like: boolean,
): Promise<number> {
  const { row } = await findRepo(deps, caller, path)
  return deps.relational.transaction(async (tx) => {
    if ((await selectRepoForUpdate(tx, row)) === undefined) throw new ApiError('NOT_FOUND', 'Repository not found')
    return writeLike(tx, row.id, caller.tenantId, like)
  })
}
