import { type RepoUpdate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { RepoRow } from '../../storage/relational/tables/prompts.ts'
import { checkMayBePublic, checkTexts } from './check-repo.ts'
import { findOwnRepo, type RepoPath } from './find-repo.ts'
import { type RepoView, selectRepoById, updateRepo } from './store.ts'

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
  const { row } = await findOwnRepo(deps, caller, path)
  checkTexts(wish)
  if (wish.is_public) await checkMayBePublic(deps, caller.tenantId)
  const now = timeOfEpochMs(deps.clock())
  const changes = { ...changesOf(wish), updated_at: now > row.updated_at ? now : row.updated_at }
  await updateRepo(deps.relational.db, caller.tenantId, row.id, changes)
  return (await selectRepoById(deps.relational.db, caller.tenantId, row.id, caller.tenantId))!
}

function changesOf(wish: RepoUpdate): Partial<RepoRow> {
  const changes: Partial<RepoRow> = {}
  if (wish.description !== undefined) changes.description = wish.description
  if (wish.readme !== undefined) changes.readme = wish.readme
  if (wish.tags !== undefined) changes.tags = [...new Set(wish.tags)]
  if (wish.is_public != null) changes.is_public = wish.is_public
  if (wish.is_archived != null) changes.is_archived = wish.is_archived
  if (wish.restricted_mode != null) changes.restricted_mode = wish.restricted_mode
  return changes
}
