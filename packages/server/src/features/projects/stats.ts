import type { FeedbackStat, Project } from '@touchstone/contract'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { literal, printedTime, sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'

/** The figures of a project as the wire has them. Latencies are seconds; a cost is null while no price is known. */
export type ProjectStats = Required<
  Pick<
    Project,
    | 'run_count'
    | 'latency_p50'
    | 'latency_p99'
    | 'first_token_p50'
    | 'first_token_p99'
    | 'total_tokens'
    | 'prompt_tokens'
    | 'completion_tokens'
    | 'total_cost'
    | 'prompt_cost'
    | 'completion_cost'
    | 'last_run_start_time'
    | 'feedback_stats'
    | 'session_feedback_stats'
    | 'error_rate'
    | 'streaming_rate'
  >
>

type StatsDeps = Pick<Deps, 'analytics' | 'metrics'>

/**
 * Figures of projects, all in one query: counts, latencies and rates over root runs, tokens and costs over all runs. An
 * llm run whose direct child reports usage of its own only repeats it, and is not counted.
 *
 * @param since  only runs that started then or later
 * @returns figures by project id, for every id asked
 */
export async function readStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  since?: string,
): Promise<Map<string, ProjectStats>> {
  if (projectIds.length === 0) return new Map()
  const began = performance.now()
  const [rows, feedback] = await Promise.all([
    selectFigures(deps, tenantId, projectIds, since),
    selectFeedback(deps, tenantId, projectIds),
  ])
  deps.metrics.queried('project_stats', (performance.now() - began) / 1000)
  const found = new Map(rows.map((row) => [row.session_id, row]))
  return new Map(
    projectIds.map((id) => [id, { ...presentFigures(found.get(id)), feedback_stats: feedback.get(id) ?? {} }]),
  )
}

interface Figures {
  readonly session_id: string
  readonly run_count: string
  /** Quantiles 0.5 and 0.99; of no runs, anything. */
  readonly latency: readonly number[]
  readonly first_token: readonly number[]
  readonly ended: string
  readonly errors: string
  readonly streamed: string
  readonly last_run_start_time: string | null
  readonly total_tokens: string | null
  readonly prompt_tokens: string | null
  readonly completion_tokens: string | null
  readonly total_cost: string | null
  readonly prompt_cost: string | null
  readonly completion_cost: string | null
}

/** Sums of the repeated runs are taken off all sums: to ask of every run whether it is one costs three times as much. */
function selectFigures({ analytics }: StatsDeps, tenantId: string, projectIds: readonly string[], since?: string) {
  const wanted = sql`tenant_id = ${uuid(tenantId)} and session_id in ${uuids(projectIds)}
    and start_time >= ${time(since ?? '1900-01-01T00:00:00.000000Z')}`
  return analytics.query<Figures>(sql`
    select session_id, run_count, latency, first_token, ended, errors, streamed, last_run_start_time,
      ${literal(USAGE.map(takenOff).join(', '))}
    from (
      select session_id,
        countIf(parent_run_id is null) as run_count,
        quantilesExactIf(0.5, 0.99)(
          dateDiff('microsecond', start_time, end_time) / 1e6, parent_run_id is null and end_time is not null) as latency,
        quantilesExactIf(0.5, 0.99)(
          dateDiff('microsecond', start_time, first_token_time) / 1e6,
          parent_run_id is null and first_token_time is not null) as first_token,
        countIf(parent_run_id is null and end_time is not null) as ended,
        countIf(parent_run_id is null and status = 'error') as errors,
        countIf(parent_run_id is null and first_token_time is not null) as streamed,
        maxIf(start_time, parent_run_id is null) as last_run_start_time,
        ${literal(USAGE.map(summed).join(', '))}
      from runs final
      where ${wanted}
      group by session_id
    ) as every
    left join (
      select session_id, ${literal(USAGE.map(summed).join(', '))}
      from runs final
      where ${wanted} and run_type = 'llm' and id in (
        select assumeNotNull(parent_run_id) from runs final
        where ${wanted} and parent_run_id is not null and total_tokens is not null)
      group by session_id
    ) as repeated using (session_id)`)
}

const USAGE = ['total_tokens', 'prompt_tokens', 'completion_tokens', 'total_cost', 'prompt_cost', 'completion_cost']

function summed(column: string): string {
  return `sum(${column}) as ${column}_sum, count(${column}) as ${column}_known`
}

/** Unknown, not 0, when nothing but repeated runs knew it. */
function takenOff(column: string): string {
  const known = `every.${column}_known = repeated.${column}_known`
  return `if(${known}, null, every.${column}_sum - ifNull(repeated.${column}_sum, 0)) as ${column}`
}

function presentFigures(row: Figures | undefined): Omit<ProjectStats, 'feedback_stats'> {
  const runs = Number(row?.run_count ?? 0)
  const rate = (count: string | undefined) => (runs === 0 ? null : Number(count ?? 0) / runs)
  return {
    run_count: runs,
    latency_p50: quantile(row?.ended, row?.latency[0]),
    latency_p99: quantile(row?.ended, row?.latency[1]),
    first_token_p50: quantile(row?.streamed, row?.first_token[0]),
    first_token_p99: quantile(row?.streamed, row?.first_token[1]),
    total_tokens: Number(row?.total_tokens ?? 0),
    prompt_tokens: Number(row?.prompt_tokens ?? 0),
    completion_tokens: Number(row?.completion_tokens ?? 0),
    total_cost: row?.total_cost ?? null,
    prompt_cost: row?.prompt_cost ?? null,
    completion_cost: row?.completion_cost ?? null,
    last_run_start_time: runs > 0 && row?.last_run_start_time ? printedTime(row.last_run_start_time) : null,
    session_feedback_stats: {},
    error_rate: rate(row?.errors),
    streaming_rate: rate(row?.streamed),
  }
}

function quantile(count: string | undefined, seconds: number | undefined): number | null {
  return Number(count ?? 0) === 0 ? null : (seconds ?? null)
}

type FeedbackStats = Record<string, z.infer<typeof FeedbackStat>>

async function selectFeedback({ analytics }: StatsDeps, tenantId: string, projectIds: readonly string[]) {
  const rows = await analytics.query<{ session_id: string; key: string; n: string; avg: number | null }>(sql`
    select assumeNotNull(session_id) as session_id, key, count() as n, avg(score) as avg
    from feedback final
    where tenant_id = ${uuid(tenantId)} and session_id in ${uuids(projectIds)} and run_id is not null
    group by session_id, key`)
  const byProject = new Map<string, FeedbackStats>()
  for (const { session_id, key, n, avg } of rows) {
    byProject.set(session_id, { ...byProject.get(session_id), [key]: { n: Number(n), avg } })
  }
  return byProject
}
