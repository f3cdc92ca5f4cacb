import { ApiError, MIN_HASH_PREFIX, timeOfEpochMs, type WebhookTrigger } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RepoRow, selectRepoForUpdate, updateRepo } from '../index.ts'
import { type HashedManifest, hashCommit } from './manifest.ts'
import { type CommitRow, insertCommit, type RepoKey, selectLatestCommit } from './store.ts'

export type HistoryDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'log'> & {
  readonly onPromptEvent: PromptEventListener
}

/** A repo whose history no other request changes until the transaction ends. */
export interface LockedHistory {
  readonly tx: Database
  readonly repo: RepoRow
  /** Its newest commit. */
  readonly latest: CommitRow | undefined
}

/** Descriptive fields of a commit. */
export interface CommitDetails {
  readonly description?: string | null | undefined
  readonly exampleRunIds?: readonly string[] | null | undefined
  readonly author: string | undefined
}

/**
 * Changes the history of a repo while its row is locked, so that concurrent writers run one after the other.
 *
 * @throws ApiError NOT_FOUND when the repo was deleted meanwhile
 */
export function changeHistory<Result>(
  { relational }: Pick<Deps, 'relational'>,
  key: RepoKey,
  work: (history: LockedHistory) => Promise<Result>,
): Promise<Result> {
  return relational.transaction(async (tx) => {
    const repo = await selectRepoForUpdate(tx, key)
    if (repo === undefined) throw new ApiError('NOT_FOUND', 'Repository not found')
    return work({ tx, repo, latest: await selectLatestCommit(tx, repo) })
  })
}

/**
 * @param parent  hash of a commit or at least 8 characters of it; nothing or `latest` means the newest commit
 * @throws ApiError CONFLICT when it is not the newest commit
 */
export function assertParentIsLatest({ latest }: LockedHistory, parent: string | null | undefined): void {
  if (parent == null || parent === '' || parent === 'latest') return
  const isLatest = parent.length >= MIN_HASH_PREFIX && latest?.commit_hash.startsWith(parent.toLowerCase())
  if (!isLatest) throw new ApiError('CONFLICT', 'Parent commit is not the latest commit')
}

/** Adds a commit after the newest one. */
export async function appendCommit(
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  { tx, repo, latest }: LockedHistory,
  manifest: HashedManifest,
  details: CommitDetails,
): Promise<CommitRow> {
  const now = timeOfEpochMs(clock())
  const commit = await insertCommit(tx, {
    id: ids(),
    tenant_id: repo.tenant_id,
    repo_id: repo.id,
    number: (latest?.number ?? 0) + 1,
    commit_hash: hashCommit(manifest, latest?.commit_hash ?? null),
    parent_id: latest?.id ?? null,
    parent_commit_hash: latest?.commit_hash ?? null,
    manifest: manifest.text,
    content_hash: manifest.contentHash,
    description: details.description ?? null,
    example_run_ids: [...(details.exampleRunIds ?? [])],
    full_name: details.author ?? null,
    created_at: now,
  })
  await updateRepo(tx, repo.tenant_id, repo.id, {
    num_commits: commit.number,
    last_commit_id: commit.id,
    last_commit_hash: commit.commit_hash,
    updated_at: now > repo.updated_at ? now : repo.updated_at,
  })
  return commit
}

/** Calls the listener. The push is already stored, so a failing listener does not fail it. */
export async function emitPromptEvent(
  { onPromptEvent, log }: Pick<HistoryDeps, 'onPromptEvent' | 'log'>,
  event: PromptEvent,
) {
  try {
    await onPromptEvent(event)
  } catch (error) {
    log.error({ err: error, repo: event.repo.id, event: event.event }, 'could not handle a prompt event')
  }
}

/** A stored change of the history of a repo. `readManifest` reads the manifest. */
export interface PromptEvent {
  readonly tenantId: string
  readonly repo: RepoRow
  /** The new commit; for a tag its new commit, or the last one before the removal. */
  readonly commit: CommitRow
  readonly event: WebhookTrigger
  readonly tagName?: string
  /** Webhooks that the caller excluded: all, or those with these ids. */
  readonly skipWebhooks?: boolean | readonly string[] | undefined
}

/** Called after the transaction of an event. An error is logged and does not fail the push. */
export type PromptEventListener = (event: PromptEvent) => Promise<void>
