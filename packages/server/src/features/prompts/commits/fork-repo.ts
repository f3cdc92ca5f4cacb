import type { RepoFork } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { createRepo, fullName, getRepo, type RepoPath, type RepoView, selectRepoById } from '../index.ts'
import { appendCommit, changeHistory, emitPromptEvent, type HistoryDeps } from './change-history.ts'
import { hashManifest } from './manifest.ts'
import { selectLatestCommit, selectManifests } from './store.ts'

/**
 * Copies a repo that the caller may read into its own workspace: what is said about it, unless said anew, and its
 * newest commit. Examples stay behind, they are the other's runs.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when the name is taken; INVALID_REQUEST
 */
export async function forkRepo(deps: HistoryDeps, caller: Caller, path: RepoPath, wish: RepoFork): Promise<RepoView> {
  const upstream = await getRepo(deps, caller, path)
  const { db } = deps.relational
  const latest = await selectLatestCommit(db, upstream.row)
  const manifest = latest && (await selectManifests(db, latest.tenant_id, [latest.id])).get(latest.id)

  const { id, commit } = await deps.relational.transaction(async (tx) => {
    const relational = withTransaction(deps.relational, tx)
    const { row } = await createRepo({ ...deps, relational }, caller, toRepo(upstream, wish), toLineage(upstream))
    if (latest === undefined || manifest === undefined) return { id: row.id, commit: undefined }
    const words = { description: latest.description, author: caller.actorName }
    const commit = await changeHistory({ relational }, row, (history) =>
      appendCommit(deps, history, hashManifest(manifest), words),
    )
    return { id: row.id, commit }
  })
  const view = (await selectRepoById(db, caller.tenantId, id, caller.tenantId))!
  if (commit !== undefined) {
    await emitPromptEvent(deps, { tenantId: caller.tenantId, repo: view.row, commit, event: 'commit' })
  }
  return view
}

function toRepo({ row }: RepoView, wish: RepoFork) {
  return {
    repo_handle: wish.repo_handle,
    repo_type: row.repo_type,
    source: row.source,
    is_public: wish.is_public ?? false,
    description: wish.description === undefined ? row.description : wish.description,
    readme: wish.readme === undefined ? row.readme : wish.readme,
    tags: wish.tags === undefined ? row.tags : wish.tags,
  }
}

function toLineage(upstream: RepoView) {
  const { row } = upstream
  return {
    upstream_repo_id: row.id,
    upstream_repo_full_name: fullName(upstream),
    original_repo_id: row.original_repo_id ?? row.id,
    original_repo_full_name: row.original_repo_full_name ?? fullName(upstream),
  }
}
