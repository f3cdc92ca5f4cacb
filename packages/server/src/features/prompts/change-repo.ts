import { ApiError, type RepoUpdate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { RepoRow } from '../../storage/relational/tables/prompts.ts'
import { assertCanBePublic, assertRepoTexts } from './check-repo.ts'
import { assertCanMoveTags } from './environments/index.ts'
import { getOwnRepo, getRepo, type RepoPath } from './get-repo.ts'
import {
  deleteRepoRows,
  type RepoView,
  selectRepoById,
  selectRepoForUpdate,
  selectTagNames,
  updateRepo,
  writeLike,
} from './store.ts'

/**
 * Changes what is said about a repo, or who sees it.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN; INVALID_REQUEST when it shall be public and the workspace has no handle
 */
export async function changeRepo(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  path: RepoPath,
  wish: RepoUpdate,
): Promise<RepoView> {
  const { row } = await getOwnRepo(deps, caller, path)
  assertRepoTexts(wish)
  if (wish.is_public) await assertCanBePublic(deps, caller.tenantId)
  const now = timeOfEpochMs(deps.clock())
  const changes = { ...toChanges(wish), updated_at: now > row.updated_at ? now : row.updated_at }
  await updateRepo(deps.relational.db, caller.tenantId, row.id, changes)
  return (await selectRepoById(deps.relational.db, caller.tenantId, row.id, caller.tenantId))!
}

function toChanges(wish: RepoUpdate): Partial<RepoRow> {
  const changes: Partial<RepoRow> = {}
  if (wish.description !== undefined) changes.description = wish.description
  if (wish.readme !== undefined) changes.readme = wish.readme
  if (wish.tags !== undefined) changes.tags = [...new Set(wish.tags)]
  if (wish.is_public != null) changes.is_public = wish.is_public
  if (wish.is_archived != null) changes.is_archived = wish.is_archived
  if (wish.restricted_mode != null) changes.restricted_mode = wish.restricted_mode
  return changes
}

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
  const { row } = await getRepo(deps, caller, path)
  return deps.relational.transaction(async (tx) => {
    if ((await selectRepoForUpdate(tx, row)) === undefined) throw new ApiError('NOT_FOUND', 'Repository not found')
    return writeLike(tx, row.id, caller.tenantId, like)
  })
}

const MAX_IDS = 100

interface Deletion {
  readonly deleted: readonly string[]
  readonly errors: readonly { readonly repo_id: string; readonly error: string }[]
}

/**
 * Deletes repos with their commits, tags, likes and comments, and the files they own. Forks stay, and keep the name of
 * what they were forked from.
 *
 * @throws ApiError INVALID_REQUEST without ids or with more than 100, NOT_FOUND when none of them is there,
 *   FORBIDDEN when one carries a protected tag that the caller may not remove
 */
export async function deleteRepos(
  { relational }: Pick<Deps, 'relational'>,
  caller: Caller,
  given: readonly string[],
): Promise<Deletion> {
  const ids = [...new Set(given)]
  if (ids.length === 0) throw new ApiError('INVALID_REQUEST', 'Name repositories by repo_ids.')
  if (ids.length > MAX_IDS) {
    throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} repositories are deleted at once.`)
  }
  await assertCanMoveTags({ relational }, caller, await selectTagNames(relational.db, caller.tenantId, ids))
  const deleted = await deleteRepoRows(relational.db, caller.tenantId, ids)
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Repository not found')
  const missing = ids.filter((id) => !deleted.includes(id))
  return { deleted, errors: missing.map((repo_id) => ({ repo_id, error: 'Repository not found' })) }
}
