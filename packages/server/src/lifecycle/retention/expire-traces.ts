import type { Deps } from '../../deps.ts'
import { literal, printedTime, sql, time, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { deleteRuns } from '../runs/index.ts'
import type { DeletionRecord } from '../sweep/index.ts'
import { sparedTraces } from './spared-traces.ts'

export type ExpireDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

export interface ExpireOptions {
  readonly tenantId: string
  readonly projectId: string
  /** Traces whose newest run of this project began before this go. */
  readonly before: string
  /** Is told what is removed. */
  readonly record: DeletionRecord
  /** Ends it between two steps. */
  readonly signal?: AbortSignal
  /** Milliseconds after which it ends between two steps. @default never */
  readonly budgetMs?: number
}

/** Runs that one step looks at: a step takes well under a second, and a stop never waits for long. */
const STEP = 1_000

/** Where a step ended: it goes through a project from its oldest run on. */
interface Place {
  readonly start_time: string
  readonly id: string
}

/**
 * Removes whole traces of one project that have outlived its retention, oldest first, a step at a time. What it leaves
 * behind when it is stopped is found again by the next call; nothing is remembered in between.
 *
 * @returns whether it came to the end
 */
export async function expireTraces(
  deps: ExpireDeps,
  options: ExpireOptions,
): Promise<{ isDone: boolean; runs: number }> {
  const { tenantId, projectId, record, signal, budgetMs = Number.POSITIVE_INFINITY } = options
  const until = deps.clock() + budgetMs
  let runs = 0
  for (let place: Place | undefined; ; ) {
    const seen = await oldestRuns(deps, options, place)
    const expired = await whichExpired(deps, options, [...new Set(seen.map((run) => run.trace_id))])
    if (expired.length > 0) {
      runs += await deleteRuns(deps, tenantId, { session_id: projectId, trace_ids: expired }, record)
    }
    if (seen.length < STEP) return { isDone: true, runs }
    if (signal?.aborted || deps.clock() >= until) return { isDone: false, runs }
    place = seen.at(-1)!
  }
}

interface SeenRun extends Place {
  readonly trace_id: string
}

async function oldestRuns(
  { analytics }: ExpireDeps,
  { tenantId, projectId, before }: ExpireOptions,
  after: Place | undefined,
): Promise<SeenRun[]> {
  const beyond =
    after === undefined
      ? literal('true')
      : sql`(start_time, id) > (${time(printedTime(after.start_time))}, ${uuid(after.id)})`
  return analytics.query<SeenRun>(sql`
    select start_time, id, trace_id from runs final
    where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
      and start_time < ${time(before)} and ${beyond}
    order by start_time, id
    limit ${uint(STEP)}`)
}

/** Those of the traces that have no younger run in this project, and that nobody keeps. */
async function whichExpired(
  deps: ExpireDeps,
  { tenantId, projectId, before }: ExpireOptions,
  traceIds: readonly string[],
): Promise<string[]> {
  if (traceIds.length === 0) return []
  const spared = new Set(await sparedTraces(deps, tenantId, projectId))
  const rows = await deps.analytics.query<{ trace_id: string }>(sql`
    select trace_id from trace_runs final
    where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)} and trace_id in ${uuids(traceIds)}
    group by trace_id
    having max(start_time) < ${time(before)}`)
  return rows.map((row) => row.trace_id).filter((id) => !spared.has(id))
}
