import { ApiError, type RepoCreate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { assertCanBePublic, assertRepoHandle, assertRepoTexts } from './check-repo.ts'
import { insertRepo, type RepoView, selectRepoById } from './store.ts'

type CreateDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** Where a fork comes from. */
export interface Lineage {
  readonly original_repo_id: string
  readonly original_repo_full_name: string
  readonly upstream_repo_id: string
  readonly upstream_repo_full_name: string
}

/**
 * Creates a repo without commits.
 *
 * @throws ApiError CONFLICT when the workspace has a repo of that name, of whatever type; INVALID_REQUEST
 */
export async function createRepo(
  deps: CreateDeps,
  caller: Caller,
  wish: RepoCreate,
  lineage?: Lineage,
): Promise<RepoView> {
  const { tenantId } = caller
  assertRepoHandle(wish.repo_handle)
  assertRepoTexts(wish)
  if (wish.is_public) await assertCanBePublic(deps, tenantId)
  if (wish.owned_by_repo_id != null) await checkOwner(deps, tenantId, wish)
  const now = timeOfEpochMs(deps.clock())
  const inserted = await insertRepo(deps.relational.db, {
    id: deps.ids(),
    tenant_id: tenantId,
    repo_handle: wish.repo_handle,
    repo_type: wish.repo_type ?? 'prompt',
    description: wish.description ?? null,
    readme: wish.readme ?? null,
    tags: [...new Set(wish.tags)],
    is_public: wish.is_public,
    restricted_mode: wish.restricted_mode ?? false,
    source: wish.source ?? null,
    created_by: caller.actorName ?? null,
    created_at: now,
    updated_at: now,
    owned_by_repo_id: wish.owned_by_repo_id ?? null,
    ...lineage,
  })
  if (inserted === undefined) {
    throw new ApiError('CONFLICT', `A repository named "${wish.repo_handle}" exists already in this workspace.`)
  }
  return (await selectRepoById(deps.relational.db, tenantId, inserted.id, tenantId))!
}

async function checkOwner(
  { relational }: CreateDeps,
  tenantId: string,
  { owned_by_repo_id, repo_type }: RepoCreate,
): Promise<void> {
  const owner = await selectRepoById(relational.db, tenantId, owned_by_repo_id!, tenantId)
  if (repo_type === 'file' && (owner?.row.repo_type === 'agent' || owner?.row.repo_type === 'skill')) return
  throw new ApiError('INVALID_REQUEST', 'Only a file can be owned, and only by an agent or skill of its workspace.')
}
