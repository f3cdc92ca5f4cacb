import { ApiError, type CommitReadQuery, MIN_HASH_PREFIX, RunConditions, TAG_NAME } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import { printedTime, sql } from '../../../storage/analytics/sql.ts'
import { columns, each, type RowOf, text } from '../../../storage/rows.ts'
import { whereRuns } from '../../runs/index.ts'
import { toPulledManifest } from './manifest.ts'
import { presentPulled, type Reader } from './present.ts'
import {
  type CommitRow,
  incrementPulls,
  type RepoKey,
  selectCommitByTag,
  selectCommitsByHash,
  selectLatestCommit,
  selectManifests,
} from './store.ts'

export type PullDeps = Pick<Deps, 'relational' | 'analytics' | 'log'>

export type PullOptions = Pick<CommitReadQuery, 'include_model' | 'include' | 'get_examples' | 'is_view'>

/** Whether the model is requested, by the older flag or the newer list. */
export const wantsModel = ({ include_model, include }: PullOptions) =>
  include_model || (include?.includes('model') ?? false)

/** A pulled commit as JSON text. */
export async function pullCommit(
  deps: PullDeps,
  commit: CommitRow,
  options: PullOptions,
  reader: Reader,
): Promise<string> {
  const manifest = (await selectManifests(deps.relational.db, commit.tenant_id, [commit.id])).get(commit.id) ?? '{}'
  // Runs belong to the owner, and a public prompt does not make them public.
  const showsExamples = options.get_examples && !reader.isForeign
  const examples = showsExamples ? await readExamples(deps, commit.tenant_id, commit.example_run_ids) : []
  return presentPulled(commit, toPulledManifest(manifest, wantsModel(options)), examples, reader)
}

/** Counts a pull or a view of a commit. An error is logged and does not fail the request. */
export async function countPull(
  { relational, log }: Pick<PullDeps, 'relational' | 'log'>,
  commit: CommitRow,
  { is_view }: PullOptions,
): Promise<void> {
  try {
    await incrementPulls(relational.db, commit, is_view ? 'num_views' : 'num_downloads')
  } catch (error) {
    log.warn({ err: error, commit: commit.id }, 'could not count a pull of a commit')
  }
}

/** JSON texts of the example runs of a commit, in their order; deleted runs are left out. */
async function readExamples(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await analytics.query(
    sql`
      select id, session_id, start_time, inputs, outputs
      from runs final
      where ${whereRuns(tenantId, RunConditions.parse({ id: [...ids] }))}`,
    EXAMPLE_RUN,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).flatMap((row) => (row === undefined ? [] : [presentExample(row)]))
}

/** Inputs and outputs are JSON text, or empty. */
const EXAMPLE_RUN = columns(each(['id', 'session_id', 'start_time', 'inputs', 'outputs'], text))

function presentExample({ id, session_id, start_time, inputs, outputs }: RowOf<typeof EXAMPLE_RUN>): string {
  return addRawMembers({ id, session_id, start_time: printedTime(start_time) }, { inputs, outputs })
}

const HASH_LENGTH = 64

/**
 * Finds a commit by `latest` or an empty text, by a hash or at least 8 characters of one, or by a tag. A shorter text
 * can only be a tag, and a hash takes precedence over a tag.
 *
 * @throws ApiError NOT_FOUND, with a message of its own when a prefix matches several commits
 */
export async function getCommit(
  { relational }: Pick<Deps, 'relational'>,
  repo: RepoKey,
  reference: string,
): Promise<CommitRow> {
  const { db } = relational
  if (reference === '' || reference === 'latest') return assertFound(await selectLatestCommit(db, repo))
  const prefix = reference.toLowerCase()
  if (prefix.length >= MIN_HASH_PREFIX && prefix.length <= HASH_LENGTH && /^[0-9a-f]+$/.test(prefix)) {
    const found = await selectCommitsByHash(db, repo, prefix)
    if (found.length > 1) throw toAmbiguousError(reference, found)
    if (found[0] !== undefined) return found[0]
  }
  if (!TAG_NAME.test(reference)) return assertFound(undefined)
  return assertFound(await selectCommitByTag(db, repo, reference))
}

function assertFound(commit: CommitRow | undefined): CommitRow {
  if (commit === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
  return commit
}

function toAmbiguousError(reference: string, found: readonly CommitRow[]): ApiError {
  const hashes = found.slice(0, 2).map((commit) => commit.commit_hash)
  return new ApiError(
    'NOT_FOUND',
    `Commit not found: ${reference} is ambiguous and matches, among others, ${hashes.join(' and ')}`,
  )
}
