import { type RetentionEstimate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { selectQueuedItems } from '../../features/annotation-queues/index.ts'
import { selectSharedTraceIds } from '../../features/sharing/index.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { createJumpWatch } from '../../steady-clock.ts'
import { literal, printedTime, sql, texts, time, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type DeletionRecord, recordDeletion } from '../../storage/record-deletion.ts'
import { columns, count, each, type RowOf, text } from '../../storage/rows.ts'
import { deleteRuns } from '../delete-runs.ts'
import { type ProjectWithRetention, selectProjectsWithRetention } from './store.ts'

export type ExpireDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

export interface ExpireOptions {
  readonly tenantId: string
  readonly projectId: string
  /** A trace expires if its newest run in this project started before this time. */
  readonly before: string
  readonly record: DeletionRecord
  /** Stops the work between two steps. */
  readonly signal?: AbortSignal
  /** Milliseconds after which the work stops between two steps. @default no limit */
  readonly budgetMs?: number
}

/** Runs per step. A step takes well under a second, so that a stop never waits long. */
const STEP = 1_000

const TRACE_ROW = columns({ trace_id: text })

const SEEN_RUN = columns({ start_time: text, id: text, trace_id: text })
type SeenRun = RowOf<typeof SEEN_RUN>

/** Position of the last run of a step; a project is read from its oldest run. */
type RunKey = Pick<SeenRun, 'start_time' | 'id'>

/**
 * Removes the expired traces of one project as a whole, oldest first, in steps. The next call finds what this one did
 * not reach; no progress is stored.
 *
 * @returns `isDone` is false when the work was stopped
 */
export async function expireTraces(
  deps: ExpireDeps,
  options: ExpireOptions,
): Promise<{ isDone: boolean; runs: number }> {
  const { tenantId, projectId, record, signal, budgetMs = Number.POSITIVE_INFINITY } = options
  const until = performance.now() + budgetMs
  let runs = 0
  for (let after: RunKey | undefined; ; ) {
    const seen = await selectOldestRuns(deps, options, after)
    const expired = await selectExpired(deps, options, [...new Set(seen.map((run) => run.trace_id))])
    if (expired.length > 0) {
      runs += await deleteRuns(deps, tenantId, { session_id: projectId, trace_ids: expired }, record)
    }
    if (seen.length < STEP) return { isDone: true, runs }
    if (signal?.aborted || performance.now() >= until) return { isDone: false, runs }
    after = seen.at(-1)
  }
}

async function selectOldestRuns(
  { analytics }: ExpireDeps,
  { tenantId, projectId, before }: ExpireOptions,
  after: RunKey | undefined,
): Promise<SeenRun[]> {
  const beyond =
    after === undefined
      ? literal('true')
      : sql`(start_time, id) > (${time(printedTime(after.start_time))}, ${uuid(after.id)})`
  return analytics.query(
    sql`
      select start_time, id, trace_id from runs final
      where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
        and start_time < ${time(before)} and ${beyond}
      order by start_time, id
      limit ${uint(STEP)}`,
    SEEN_RUN,
  )
}

/** Of the given traces, those without a younger run in this project that nothing retains. */
async function selectExpired(
  deps: ExpireDeps,
  { tenantId, projectId, before }: ExpireOptions,
  traceIds: readonly string[],
): Promise<string[]> {
  if (traceIds.length === 0) return []
  const retained = new Set(await selectRetainedTraceIds(deps, tenantId, projectId))
  const rows = await deps.analytics.query(
    sql`
      select trace_id from trace_runs final
      where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)} and trace_id in ${uuids(traceIds)}
      group by trace_id
      having max(start_time) < ${time(before)}`,
    TRACE_ROW,
  )
  return rows.map((row) => row.trace_id).filter((id) => !retained.has(id))
}

const DAY_MS = 86_400_000

/** Traces whose newest run started before this time exceed the retention; null when it keeps all. */
export function toRetentionBound({ clock }: Pick<Deps, 'clock'>, days: number): string | null {
  return days === 0 ? null : timeOfEpochMs(clock() - days * DAY_MS)
}

type EstimateDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/** Counts the traces that a retention would remove now. */
export async function estimateRetention(
  deps: EstimateDeps,
  tenantId: string,
  projectIds: readonly string[],
  days: number,
): Promise<RetentionEstimate> {
  const before = toRetentionBound(deps, days)
  const sum = { trace_count: 0, run_count: 0, kept_trace_count: 0 }
  if (before !== null) {
    for (const projectId of projectIds) {
      const counts = await countExpired(deps, tenantId, projectId, before)
      sum.trace_count += counts.traces
      sum.run_count += counts.runs
      sum.kept_trace_count += counts.kept
    }
  }
  return { days, removes_before: before, ...sum, project_count: projectIds.length }
}

const EXPIRED_COUNTS = columns(each(['traces', 'runs', 'kept'], count))

async function countExpired(deps: EstimateDeps, tenantId: string, projectId: string, before: string) {
  const retained = uuids(await selectRetainedTraceIds(deps, tenantId, projectId))
  const [row] = await deps.analytics.query(
    sql`
      select countIf(not is_retained) as traces, sumIf(n, not is_retained) as runs, countIf(is_retained) as kept
      from (
        select trace_id in ${retained} as is_retained, count() as n
        from runs final
        where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
        group by trace_id
        having max(start_time) < ${time(before)}
      )`,
    EXPIRED_COUNTS,
  )
  return row ?? { traces: 0, runs: 0, kept: 0 }
}

/**
 * Ids of traces of a project that retention never removes, because people still use them: shared traces, and traces in
 * an annotation queue, also as part of a thread. Feedback does not count: nearly every trace may have some.
 */
async function selectRetainedTraceIds(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  tenantId: string,
  projectId: string,
): Promise<string[]> {
  const [shared, queued] = await Promise.all([
    selectSharedTraceIds(deps.relational.db, tenantId, projectId),
    selectQueuedItems(deps, tenantId, projectId),
  ])
  const ofThreads =
    queued.threadIds.length === 0
      ? []
      : await deps.analytics.query(
          sql`
            select distinct trace_id from runs final
            where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
              and thread_id in ${texts(queued.threadIds)}`,
          TRACE_ROW,
        )
  return [...new Set([...shared, ...queued.traceIds, ...ofThreads.map((row) => row.trace_id)])]
}

export type RetentionDeps = ExpireDeps & Pick<Deps, 'log' | 'ids'> & { readonly jobs: Jobs }

type OneProject = Pick<ProjectWithRetention, 'tenantId' | 'projectId'>

interface RetentionJobs {
  /** Starts to remove expired traces of a workspace, or of one of its projects. */
  readonly begin: (tenantId: string, projectId?: string) => Promise<void>
}

const HOUR_SECONDS = 3600
/** Time budget of a job. It then queues the rest, so that a large project does not delay the others. */
const BUDGET_MS = 60_000

/** Defines the retention jobs: hourly, and after a change of retention. Jobs read the current settings. */
export function defineRetentionJobs(deps: RetentionDeps): RetentionJobs {
  const { jobs, log } = deps
  const { db } = deps.relational

  const expire: Job<OneProject> = jobs.define<OneProject>(
    'retention-project',
    async (wanted, { signal }) => {
      const { tenantId, projectId } = wanted
      const held = (await selectProjectsWithRetention(db, tenantId)).find((one) => one.projectId === projectId)
      const before = toRetentionBound(deps, held?.days ?? 0)
      if (before === null) return // the project was deleted, or now keeps its traces forever
      const subject = `Traces of project "${held?.projectName}" older than ${held?.days} days`
      const about = { tenantId, kind: 'retention', subject, requestedBy: undefined } as const
      const { isDone, runs } = await recordDeletion(deps, about, (record) =>
        expireTraces(deps, { tenantId, projectId, before, record, signal, budgetMs: BUDGET_MS }),
      )
      if (runs > 0) log.info({ project: projectId, runs, before }, 'runs were removed by retention')
      if (!isDone) await expire.send(wanted)
    },
    { subject: 'projectId' },
  )

  async function begin(projects: readonly OneProject[]): Promise<void> {
    for (const { tenantId, projectId } of projects) await expire.send({ tenantId, projectId })
  }

  const hasJumped = createJumpWatch(deps.clock)
  jobs.define(
    'retention-sweep',
    async () => {
      if (hasJumped()) log.warn('the clock was set; no traces expire for an hour')
      else await begin(await selectProjectsWithRetention(db))
    },
    { everySeconds: HOUR_SECONDS },
  )

  return {
    begin: async (tenantId, projectId) => {
      const ageing = await selectProjectsWithRetention(db, tenantId)
      await begin(projectId === undefined ? ageing : ageing.filter((one) => one.projectId === projectId))
    },
  }
}
