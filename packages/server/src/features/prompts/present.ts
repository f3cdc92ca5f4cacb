import type { Repo } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import { addRawMembers } from '../../json/write-object.ts'
import { isForeign } from './get-repo.ts'
import type { RepoView } from './store.ts'

/** A repo as JSON text for one reader; `latestManifest` is JSON text, spliced in as it came. */
export function presentRepo(view: RepoView, caller: Caller | undefined, latestManifest?: string): string {
  const { row, owner } = view
  const foreign = isForeign(view, caller)
  const repo: Omit<Repo, 'latest_commit_manifest'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    repo_handle: row.repo_handle,
    owner,
    full_name: fullName(view),
    description: row.description,
    readme: row.readme,
    tags: row.tags,
    is_public: row.is_public,
    is_archived: row.is_archived,
    repo_type: row.repo_type,
    source: row.source,
    restricted_mode: row.restricted_mode,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: foreign ? null : row.created_by,
    num_likes: row.num_likes,
    num_downloads: row.num_downloads,
    num_views: row.num_views,
    num_commits: row.num_commits,
    liked_by_auth_user: view.isLiked,
    last_commit_hash: row.last_commit_hash,
    commit_tags: [...view.commitTags],
    original_repo_id: row.original_repo_id,
    original_repo_full_name: named(row.original_repo_full_name, owner),
    upstream_repo_id: row.upstream_repo_id,
    upstream_repo_full_name: named(row.upstream_repo_full_name, owner),
    is_foreign: foreign,
  }
  const latest =
    latestManifest === undefined
      ? null
      : addRawMembers({ commit_hash: row.last_commit_hash }, { manifest: latestManifest, examples: '[]' })
  return addRawMembers(repo, { latest_commit_manifest: latest })
}

/** `owner/handle`; `-/handle` while the workspace has no handle. */
export function fullName({ row, owner }: Pick<RepoView, 'row' | 'owner'>): string {
  return `${owner ?? '-'}/${row.repo_handle}`
}

/** Only a repo of the same workspace can have been forked while that had no handle. */
function named(fullName: string | null, owner: string | null): string | null {
  return owner !== null && fullName?.startsWith('-/') ? `${owner}${fullName.slice(1)}` : fullName
}
