import { type CommitReadQuery, RunConditions } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { addRawMembers } from '../../../json/write-object.ts'
import { printedTime, sql } from '../../../storage/analytics/sql.ts'
import { whereRuns } from '../../runs/index.ts'
import { withModel } from './manifest.ts'
import { presentPulled, type Reader } from './present.ts'
import { type CommitRow, incrementPulls, selectManifests } from './store.ts'

export type PullDeps = Pick<Deps, 'relational' | 'analytics' | 'log'>

export type PullOptions = Pick<CommitReadQuery, 'include_model' | 'include' | 'get_examples' | 'is_view'>

/** Whether the model is wanted, by the older flag or the newer list. */
export const wantsModel = ({ include_model, include }: PullOptions) =>
  include_model || (include?.includes('model') ?? false)

/** A commit as it is pulled, as JSON text. */
export async function pullCommit(
  deps: PullDeps,
  commit: CommitRow,
  wish: PullOptions,
  reader: Reader,
): Promise<string> {
  const manifest = (await selectManifests(deps.relational.db, commit.tenant_id, [commit.id])).get(commit.id) ?? '{}'
  // Runs are the owner's, and publishing a prompt publishes none of them.
  const showsExamples = wish.get_examples && !reader.isForeign
  const examples = showsExamples ? await readExamples(deps, commit.tenant_id, commit.example_run_ids) : []
  return presentPulled(commit, withModel(manifest, wantsModel(wish)), examples, reader)
}

/** Counts that a commit was pulled, or viewed. A reading that cannot be counted is a reading all the same. */
export async function countPull(
  { relational, log }: Pick<PullDeps, 'relational' | 'log'>,
  commit: CommitRow,
  { is_view }: PullOptions,
): Promise<void> {
  try {
    await incrementPulls(relational.db, commit, is_view ? 'num_views' : 'num_downloads')
  } catch (error) {
    log.warn({ err: error, commit: commit.id }, 'a reading of a commit was not counted')
  }
}

/** Runs that a commit names as examples, as texts of JSON, in the order named; runs that are gone are left out. */
async function readExamples(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await analytics.query<Row>(sql`
    select id, session_id, start_time, inputs, outputs
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ id: [...ids] }))}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).flatMap((row) => (row === undefined ? [] : [present(row)]))
}

interface Row {
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  /** JSON text, or nothing. */
  readonly inputs: string
  readonly outputs: string
}

function present({ id, session_id, start_time, inputs, outputs }: Row): string {
  return addRawMembers({ id, session_id, start_time: printedTime(start_time) }, { inputs, outputs })
}
