import type { CommitSummary, CommitTag, PromptCommit, PulledCommit, TagTransition } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { Database } from '../../../storage/relational/port.ts'
import type { TagMoveRow } from '../index.ts'
import type { PulledManifest } from './manifest.ts'
import { type CommitRow, selectManifests, type TagView } from './store.ts'

/**
 * The reader of a repo, with the public name of its owner. Readers of other workspaces do not see the names of keys.
 */
export interface Reader {
  readonly isForeign: boolean
  readonly owner: string | null
}

/** A commit as JSON text with its raw manifest. */
export function presentCommit(row: CommitRow, manifest: string, reader: Reader): string {
  const commit: Omit<PromptCommit, 'manifest'> = {
    ...presentFacts(row, reader),
    updated_at: row.created_at,
    example_run_ids: reader.isForeign ? [] : row.example_run_ids,
  }
  return addRawMembers(commit, { manifest })
}

/** A commit without its manifest. */
export function presentSummary(row: CommitRow & { readonly tags: string[] }, reader: Reader): CommitSummary {
  return { ...presentFacts(row, reader), tags: row.tags }
}

function presentFacts(row: CommitRow, { isForeign, owner }: Reader): Omit<CommitSummary, 'tags'> {
  return {
    id: row.id,
    commit_hash: row.commit_hash,
    parent_id: row.parent_id,
    parent_commit_hash: row.parent_commit_hash,
    repo_id: row.repo_id,
    created_at: row.created_at,
    num_downloads: row.num_downloads,
    num_views: row.num_views,
    full_name: isForeign ? owner : row.full_name,
    description: row.description,
  }
}

/** A pulled commit as JSON text; without `owner` and `repo`, which clients add. */
export function presentPulled(
  row: CommitRow,
  { manifest, modelConfig, modelProvider }: PulledManifest,
  examples: readonly string[],
  { isForeign }: Reader,
): string {
  const commit: Omit<PulledCommit, 'manifest' | 'examples' | 'model_config'> = {
    commit_hash: row.commit_hash,
    description: row.description,
    is_draft: false,
    model_provider: modelProvider,
    is_foreign: isForeign,
  }
  return addRawMembers(commit, { manifest, examples: `[${examples.join(',')}]`, model_config: modelConfig })
}

export function presentTag({ row, commitHash }: TagView): CommitTag {
  return {
    id: row.id,
    repo_id: row.repo_id,
    commit_id: row.commit_id,
    commit_hash: commitHash,
    tag_name: row.tag_name,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

export function presentMove(row: TagMoveRow, { isForeign }: Reader): TagTransition {
  return {
    id: row.id,
    repo_id: row.repo_id,
    tag_name: row.tag_name,
    from_commit_id: row.from_commit_id,
    from_commit_hash: row.from_commit_hash,
    to_commit_id: row.to_commit_id,
    to_commit_hash: row.to_commit_hash,
    performed_by: isForeign ? null : row.performed_by,
    performed_by_name: isForeign ? null : row.performed_by_name,
    performed_by_role: isForeign ? null : row.performed_by_role,
    created_at: row.created_at,
  }
}

const MAX_BYTES_AT_ONCE = 1024 * 1024

/** Commits as JSON texts, in groups with about one megabyte of manifests in memory. */
export async function* presentCommits(
  db: Database,
  tenantId: string,
  rows: readonly (CommitRow & { readonly bytes: number })[],
  reader: Reader,
): AsyncGenerator<string[]> {
  for (const group of groupBySize(rows)) {
    const ids = group.map(({ id }) => id)
    const manifests = await selectManifests(db, tenantId, ids)
    // The manifest of a commit is missing while its repo is being deleted.
    yield group.map((row) => presentCommit(row, manifests.get(row.id) ?? 'null', reader))
  }
}

function groupBySize<Row extends { readonly bytes: number }>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  let group: Row[] = []
  let bytes = 0
  for (const row of rows) {
    if (group.length === 0 || bytes + row.bytes > MAX_BYTES_AT_ONCE) {
      group = []
      groups.push(group)
      bytes = 0
    }
    group.push(row)
    bytes += row.bytes
  }
  return groups
}
