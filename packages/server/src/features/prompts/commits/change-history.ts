import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RepoRow, selectRepoForUpdate, updateRepo } from '../index.ts'
import type { PromptEvent, PromptEventListener } from './events.ts'
import { type HashedManifest, hashCommit } from './manifest.ts'
import { type CommitRow, insertCommit, type RepoKey, selectLatestCommit } from './store.ts'

export type HistoryDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'log'> & {
  readonly onPromptEvent: PromptEventListener
}

/** A repo whose history nobody else changes until the transaction ends. */
export interface LockedHistory {
  readonly tx: Database
  readonly repo: RepoRow
  /** Its newest commit. */
  readonly latest: CommitRow | undefined
}

/** What a commit says about itself. */
export interface CommitDetails {
  readonly description?: string | null | undefined
  readonly exampleRunIds?: readonly string[] | null | undefined
  readonly author: string | undefined
}

/**
 * Changes the history of a repo while its row is locked, so that of two writers one comes first and the other sees it.
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

const MIN_PREFIX = 8

/**
 * @param parent  hash of a commit or at least 8 characters of it; nothing and `latest` stand for the newest
 * @throws ApiError CONFLICT when it is not the newest commit
 */
export function assertParentIsLatest({ latest }: LockedHistory, parent: string | null | undefined): void {
  if (parent == null || parent === '' || parent === 'latest') return
  const isLatest = parent.length >= MIN_PREFIX && latest?.commit_hash.startsWith(parent.toLowerCase())
  if (!isLatest) throw new ApiError('CONFLICT', 'Parent commit is not the latest commit')
}

/** Puts a commit on top of the history. */
export async function appendCommit(
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  { tx, repo, latest }: LockedHistory,
  manifest: HashedManifest,
  words: CommitDetails,
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
    description: words.description ?? null,
    example_run_ids: [...(words.exampleRunIds ?? [])],
    full_name: words.author ?? null,
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

/** Tells whoever listens; the caller's push stands already and does not fail for it. */
export async function emitPromptEvent(
  { onPromptEvent, log }: Pick<HistoryDeps, 'onPromptEvent' | 'log'>,
  event: PromptEvent,
) {
  try {
    await onPromptEvent(event)
  } catch (error) {
    log.error({ err: error, repo: event.repo.id, event: event.event }, 'an event of the hub was not passed on')
  }
}
