import type { Project } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { printedTime } from '../../storage/analytics/sql.ts'
import { feedbackStatsByProject, sessionFeedbackStats } from '../feedback/index.ts'
import { type RootFigures, selectFigures, type UsageFigures } from './figures.ts'

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
  const [figures, feedback, onProjects] = await Promise.all([
    selectFigures(deps, tenantId, projectIds, since),
    feedbackStatsByProject(deps, tenantId, projectIds, since),
    sessionFeedbackStats(deps, tenantId, projectIds),
  ])
  deps.metrics.queried('project_stats', (performance.now() - began) / 1000)
  return new Map(
    projectIds.map((id) => [
      id,
      {
        ...presentFigures(figures.roots.get(id), figures.usage.get(id)),
        feedback_stats: feedback.get(id) ?? {},
        session_feedback_stats: onProjects.get(id) ?? {},
      },
    ]),
  )
}

function presentFigures(
  roots: RootFigures | undefined,
  usage: UsageFigures | undefined,
): Omit<ProjectStats, 'feedback_stats' | 'session_feedback_stats'> {
  const runs = Number(roots?.run_count ?? 0)
  const rate = (count: string | undefined) => (runs === 0 ? null : Number(count ?? 0) / runs)
  return {
    run_count: runs,
    latency_p50: seconds(roots?.ended, roots?.latency[0]),
    latency_p99: seconds(roots?.ended, roots?.latency[1]),
    first_token_p50: seconds(roots?.streamed, roots?.first_token[0]),
    first_token_p99: seconds(roots?.streamed, roots?.first_token[1]),
    total_tokens: Number(usage?.total_tokens ?? 0),
    prompt_tokens: Number(usage?.prompt_tokens ?? 0),
    completion_tokens: Number(usage?.completion_tokens ?? 0),
    total_cost: usage?.total_cost ?? null,
    prompt_cost: usage?.prompt_cost ?? null,
    completion_cost: usage?.completion_cost ?? null,
    last_run_start_time: roots === undefined ? null : printedTime(roots.last_run_start_time),
    error_rate: rate(roots?.errors),
    streaming_rate: rate(roots?.streamed),
  }
}

/** A quantile is one only when something was counted. */
function seconds(count: string | undefined, micros: number | string | undefined): number | null {
  return Number(count ?? 0) === 0 || micros === undefined ? null : Number(micros) / 1e6
}
