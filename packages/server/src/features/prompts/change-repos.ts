import { ApiError, isAtLeast, REPO_HANDLE, type RepoCreate, type RepoUpdate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { RepoRow } from '../../storage/relational/tables/prompts.ts'
import { selectHandle } from '../accounts/workspaces/index.ts'
import { assertCanMoveTags } from './environments.ts'
import { getOwnRepo, getRepo, type RepoPath } from './read-repos.ts'
import {
  deleteRepoRows,
  getRepoById,
  insertRepo,
  type RepoView,
  selectRepoById,
  selectRepoForUpdate,
  selectTagNames,
  updateRepo,
  writeLike,
} from './store.ts'

/**
 * Changes the description, settings or visibility of a repo.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN; CONFLICT when an expected value was changed; INVALID_REQUEST when a workspace without a handle makes a repo public
 */
export async function changeRepo(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  path: RepoPath,
  request: RepoUpdate,
): Promise<RepoView> {
  const { row } = await getOwnRepo(deps, caller, path)
  assertRepoTags(request)
  if (request.is_public && !row.is_public) await assertCanBePublic(deps, caller)
  await deps.relational.transaction(async (tx) => {
    const before = await selectRepoForUpdate(tx, row)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Repository not found')
    const { description, readme, tags } = before
    assertExpected('The prompt', request.expected, { description, readme, tags })
    const now = timeOfEpochMs(deps.clock())
    const changes = { ...toChanges(request), updated_at: now > before.updated_at ? now : before.updated_at }
    await updateRepo(tx, caller.tenantId, row.id, changes)
  })
  return getRepoById(deps.relational.db, caller.tenantId, row.id)
}

function toChanges(request: RepoUpdate): Partial<RepoRow> {
  const changes: Partial<RepoRow> = {}
  if (request.description !== undefined) changes.description = request.description
  if (request.readme !== undefined) changes.readme = request.readme
  if (request.tags !== undefined) changes.tags = [...new Set(request.tags)]
  if (request.is_public != null) changes.is_public = request.is_public
  if (request.is_archived != null) changes.is_archived = request.is_archived
  if (request.restricted_mode != null) changes.restricted_mode = request.restricted_mode
  return changes
}

/**
 * Sets or removes the like of the caller's workspace; repeating the request changes nothing. Public repos of other
 * workspaces can be liked too.
 *
 * @returns the number of likes
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
 * Deletes repos with their commits, tags, likes and comments, and the files they own. Forks remain, and keep the name
 * of their upstream.
 *
 * @throws ApiError INVALID_REQUEST without ids or with more than 100, NOT_FOUND when none of them exists,
 *   FORBIDDEN when one has a protected tag that the caller may not remove
 */
export async function deleteRepos(
  { relational }: Pick<Deps, 'relational'>,
  caller: Caller,
  given: readonly string[],
): Promise<Deletion> {
  const ids = [...new Set(given)]
  if (ids.length === 0) throw new ApiError('INVALID_REQUEST', 'Select repositories with repo_ids.')
  if (ids.length > MAX_IDS) {
    throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} repositories can be deleted at once.`)
  }
  await assertCanMoveTags({ relational }, caller, await selectTagNames(relational.db, caller.tenantId, ids))
  const deleted = await deleteRepoRows(relational.db, caller.tenantId, ids)
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Repository not found')
  const missing = ids.filter((id) => !deleted.includes(id))
  return { deleted, errors: missing.map((repo_id) => ({ repo_id, error: 'Repository not found' })) }
}

const MAX_HANDLE = 200
const MAX_TAG = 200
const MAX_TAGS = 100

/** @throws ApiError INVALID_REQUEST for an invalid handle */
export function assertRepoHandle(handle: string): void {
  if (REPO_HANDLE.test(handle) && handle.length <= MAX_HANDLE) return
  throw new ApiError(
    'INVALID_REQUEST',
    `Invalid repo_handle "${handle.slice(0, MAX_HANDLE).toWellFormed()}": must match /${REPO_HANDLE.source}/ and have at most ${MAX_HANDLE} characters.`,
  )
}

/** @throws ApiError INVALID_REQUEST for too many tags, and for one that is empty or too long */
export function assertRepoTags({ tags }: { readonly tags?: readonly string[] | null | undefined }): void {
  if ((tags?.length ?? 0) > MAX_TAGS) throw new ApiError('INVALID_REQUEST', `A repo has at most ${MAX_TAGS} tags.`)
  for (const tag of tags ?? []) {
    if (tag === '' || tag.length > MAX_TAG) {
      throw new ApiError('INVALID_REQUEST', `A tag has 1 to ${MAX_TAG} characters.`)
    }
  }
}

/**
 * The name of a public repo contains the handle of its workspace.
 *
 * @throws ApiError INVALID_REQUEST when the workspace has no handle
 */
export async function assertCanBePublic(deps: Pick<Deps, 'relational'>, { tenantId, role }: Caller): Promise<void> {
  // A link to a run can be revoked and cannot be guessed; a public prompt is found and read by everybody.
  if (!isAtLeast(role, 'admin')) throw new ApiError('FORBIDDEN', 'Only admins make prompts public.')
  if ((await selectHandle(deps, tenantId)) !== null) return
  throw new ApiError('INVALID_REQUEST', 'Cannot create a public prompt without first creating a handle')
}

type CreateDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** Origin of a fork. */
interface Lineage {
  readonly original_repo_id: string
  readonly original_repo_full_name: string
  readonly upstream_repo_id: string
  readonly upstream_repo_full_name: string
}

/**
 * Creates a repo without commits.
 *
 * @throws ApiError CONFLICT when the workspace has a repo of any type with that name; FORBIDDEN for a public one by a member;
 *   INVALID_REQUEST
 */
export async function createRepo(
  deps: CreateDeps,
  caller: Caller,
  request: RepoCreate,
  lineage?: Lineage,
): Promise<RepoView> {
  const { tenantId } = caller
  assertRepoHandle(request.repo_handle)
  assertRepoTags(request)
  if (request.is_public) await assertCanBePublic(deps, caller)
  if (request.owned_by_repo_id != null) await assertOwner(deps, tenantId, request.owned_by_repo_id, request.repo_type)
  const now = timeOfEpochMs(deps.clock())
  const inserted = await insertRepo(deps.relational.db, {
    id: deps.ids(),
    tenant_id: tenantId,
    repo_handle: request.repo_handle,
    repo_type: request.repo_type ?? 'prompt',
    description: request.description ?? null,
    readme: request.readme ?? null,
    tags: [...new Set(request.tags)],
    is_public: request.is_public,
    restricted_mode: request.restricted_mode ?? false,
    source: request.source ?? null,
    created_by: caller.actorName ?? null,
    created_at: now,
    updated_at: now,
    owned_by_repo_id: request.owned_by_repo_id ?? null,
    ...lineage,
  })
  if (inserted === undefined) {
    throw new ApiError('CONFLICT', `A repository named "${request.repo_handle}" already exists in this workspace.`)
  }
  return getRepoById(deps.relational.db, tenantId, inserted.id)
}

async function assertOwner(
  { relational }: CreateDeps,
  tenantId: string,
  ownerId: string,
  type: RepoCreate['repo_type'],
): Promise<void> {
  const owner = await selectRepoById(relational.db, tenantId, ownerId, tenantId)
  if (type === 'file' && (owner?.row.repo_type === 'agent' || owner?.row.repo_type === 'skill')) return
  throw new ApiError('INVALID_REQUEST', 'Only a file can be owned, and only by an agent or skill of its workspace.')
}
