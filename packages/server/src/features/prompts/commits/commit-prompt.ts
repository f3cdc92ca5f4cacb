import { ApiError, type CommitCreate, type RepoFork } from '@touchstone/contract'
import { getMemberText, splitMembers } from '@touchstone/formats/cut-json'
import type { Caller } from '../../../http/serve.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import {
  createRepo,
  getOwnRepo,
  getRepo,
  getRepoById,
  type RepoPath,
  type RepoRow,
  type RepoView,
  toFullName,
} from '../index.ts'
import {
  appendCommit,
  assertParentIsLatest,
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
} from './change-history.ts'
import { assertManifestType, hashManifest } from './manifest.ts'
import { type CommitRow, selectLatestCommit, selectManifests } from './store.ts'

/**
 * Commits a manifest; `body` was parsed from `bodyText`. The manifest is a raw payload: its text is stored as it was
 * sent, and the server only reads its type and compares it with the newest commit.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN; INVALID_REQUEST for a manifest of an unknown type; CONFLICT when it equals the
 *   newest commit's, or the parent is no longer the newest commit
 */
export async function commitPrompt(
  deps: HistoryDeps,
  caller: Caller,
  path: RepoPath,
  { body, bodyText }: { readonly body: CommitCreate; readonly bodyText: string },
): Promise<{ readonly commit: CommitRow; readonly manifest: string }> {
  const { row } = await getOwnRepo(deps, caller, path)
  assertRepoType(row, body)
  const manifest = hashManifest(getMemberText(splitMembers(bodyText), 'manifest'))

  const { repo, commit } = await changeHistory(deps, row, async (history) => {
    if (history.latest?.content_hash === manifest.contentHash) {
      throw new ApiError('CONFLICT', 'Nothing to commit: prompt has not changed since latest commit')
    }
    assertParentIsLatest(history, body.parent_commit)
    const details = { ...body, exampleRunIds: body.example_run_ids, author: caller.actorName }
    return { repo: history.repo, commit: await appendCommit(deps, history, manifest, details) }
  })
  const skipWebhooks = body.skip_webhooks ?? undefined
  await emitPromptEvent(deps, { tenantId: caller.tenantId, repo, commit, event: 'commit', skipWebhooks })
  return { commit, manifest: manifest.text }
}

/** A file may hold any object; the trees of agents and skills are committed by path. */
function assertRepoType({ repo_type }: RepoRow, { manifest }: CommitCreate): void {
  if (repo_type === 'prompt') assertManifestType(manifest)
  else if (repo_type !== 'file') {
    throw new ApiError('INVALID_REQUEST', `Commit files of this ${repo_type} through its directory.`)
  }
}

/**
 * Copies a repo that the caller may read into its workspace: its description, unless overridden, and its newest commit.
 * Example runs are not copied, because they belong to the other workspace.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when the name is taken; INVALID_REQUEST
 */
export async function forkRepo(
  deps: HistoryDeps,
  caller: Caller,
  path: RepoPath,
  request: RepoFork,
): Promise<RepoView> {
  const upstream = await getRepo(deps, caller, path)
  const { db } = deps.relational
  const latest = await selectLatestCommit(db, upstream.row)
  const manifest = latest && (await selectManifests(db, latest.tenant_id, [latest.id])).get(latest.id)

  const { id, commit } = await deps.relational.transaction(async (tx) => {
    const relational = withTransaction(deps.relational, tx)
    const { row } = await createRepo({ ...deps, relational }, caller, toRepo(upstream, request), toLineage(upstream))
    if (latest === undefined || manifest === undefined) return { id: row.id, commit: undefined }
    const details = { description: latest.description, author: caller.actorName }
    const commit = await changeHistory({ relational }, row, (history) =>
      appendCommit(deps, history, hashManifest(manifest), details),
    )
    return { id: row.id, commit }
  })
  const view = await getRepoById(db, caller.tenantId, id)
  if (commit !== undefined) {
    await emitPromptEvent(deps, { tenantId: caller.tenantId, repo: view.row, commit, event: 'commit' })
  }
  return view
}

function toRepo({ row }: RepoView, request: RepoFork) {
  return {
    repo_handle: request.repo_handle,
    repo_type: row.repo_type,
    source: row.source,
    is_public: request.is_public ?? false,
    description: request.description === undefined ? row.description : request.description,
    readme: request.readme === undefined ? row.readme : request.readme,
    tags: request.tags === undefined ? row.tags : request.tags,
  }
}

function toLineage(upstream: RepoView) {
  const { row } = upstream
  return {
    upstream_repo_id: row.id,
    upstream_repo_full_name: toFullName(upstream),
    original_repo_id: row.original_repo_id ?? row.id,
    original_repo_full_name: row.original_repo_full_name ?? toFullName(upstream),
  }
}
