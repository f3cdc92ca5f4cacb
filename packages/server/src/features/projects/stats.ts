import type { Project, ProjectStatsQuery, RunFacet } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { printedTime } from '../../storage/analytics/sql.ts'
import type { FigureCache } from './figure-cache.ts'
import type { RootFigures, UsageFigures } from './figures.ts'

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
    | 'reported_cost'
    | 'unpriced_fees'
    | 'last_run_start_time'
    | 'feedback_stats'
    | 'session_feedback_stats'
    | 'error_rate'
    | 'streaming_rate'
    | 'run_facets'
  >
>

export type StatsDeps = Pick<Deps, 'analytics' | 'metrics'> & RunFigures & { readonly kept: FigureCache }

/** Figures that are computed from the runs of a query. The statistics of runs, a higher layer, supply them. */
export interface RunFigures {
  /** Over the roots of projects that satisfy the filter, by project. */
  readonly readFigures: (
    tenantId: string,
    projectIds: readonly string[],
    roots: RootSelection,
  ) => Promise<Map<string, Partial<ProjectStats>>>
  readonly readFacets: (tenantId: string, projectId: string, roots: RootSelection) => Promise<RunFacet[]>
}

interface RootSelection {
  readonly filter?: string | undefined
  readonly since?: string | undefined
}

/**
 * The requested figures of projects: all or the selected ones, over all roots or those that satisfy a filter.
 *
 * @returns figures by project id; empty when the query requests none
 */
export async function readSelectedStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  query: ProjectStatsQuery,
): Promise<Map<string, Partial<ProjectStats>>> {
  if (!query.include_stats) return new Map()
  const stats = await readStats(deps, tenantId, projectIds, query)
  const entries = [...stats].map(async ([id, figures]): Promise<[string, Partial<ProjectStats>]> => {
    const roots = { filter: query.stats_filter, since: query.stats_start_time }
    const run_facets = query.facets ? await deps.readFacets(tenantId, id, roots) : null
    return [id, pickSelected({ ...figures, run_facets }, query.stats_select)]
  })
  return new Map(await Promise.all(entries))
}

function pickSelected(stats: ProjectStats, names: readonly string[] | undefined): Partial<ProjectStats> {
  if (!names) return stats
  return Object.fromEntries(Object.entries(stats).filter(([name]) => names.includes(name)))
}

/**
 * Figures of projects: counts, latencies and rates over root runs, tokens and costs over all runs. An llm run is not
 * counted when a direct child reports usage, because both report the same tokens.
 *
 * @returns figures by project id, for every given id
 */
export async function readStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  { stats_start_time: since, stats_filter: filter }: Partial<ProjectStatsQuery> = {},
): Promise<Map<string, ProjectStats>> {
  if (projectIds.length === 0) return new Map()
  if (filter?.trim()) return readFilteredStats(deps, tenantId, projectIds, { filter, since })
  const began = performance.now()
  const [figures, feedback, onProjects] = await Promise.all([
    deps.kept.figures(tenantId, projectIds, since),
    deps.kept.feedback(tenantId, projectIds, since),
    deps.kept.feedbackOnProjects(tenantId, projectIds),
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

/** Omits figures that projects do not have. */
async function readFilteredStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  roots: RootSelection,
): Promise<Map<string, ProjectStats>> {
  const [found, onProjects] = await Promise.all([
    deps.readFigures(tenantId, projectIds, roots),
    deps.kept.feedbackOnProjects(tenantId, projectIds),
  ])
  const none = { ...presentFigures(undefined, undefined), feedback_stats: {} }
  return new Map(
    projectIds.map((id) => {
      const figures = Object.entries(found.get(id) ?? {}).filter(([name]) => name in none)
      return [id, { ...none, ...Object.fromEntries(figures), session_feedback_stats: onProjects.get(id) ?? {} }]
    }),
  )
}

function presentFigures(
  roots: RootFigures | undefined,
  usage: UsageFigures | undefined,
): Omit<ProjectStats, 'feedback_stats' | 'session_feedback_stats'> {
  const runs = roots?.run_count ?? 0
  const rate = (count: number | undefined) => (runs === 0 ? null : (count ?? 0) / runs)
  return {
    run_count: runs,
    latency_p50: toSeconds(roots?.ended, roots?.latency[0]),
    latency_p99: toSeconds(roots?.ended, roots?.latency[1]),
    first_token_p50: toSeconds(roots?.streamed, roots?.first_token[0]),
    first_token_p99: toSeconds(roots?.streamed, roots?.first_token[1]),
    total_tokens: Number(usage?.total_tokens ?? 0),
    prompt_tokens: Number(usage?.prompt_tokens ?? 0),
    completion_tokens: Number(usage?.completion_tokens ?? 0),
    total_cost: usage?.total_cost ?? null,
    prompt_cost: usage?.prompt_cost ?? null,
    completion_cost: usage?.completion_cost ?? null,
    reported_cost: usage?.reported_cost ?? null,
    unpriced_fees: usage?.unpriced_fees == null ? null : Number(usage.unpriced_fees),
    last_run_start_time: roots === undefined ? null : printedTime(roots.last_run_start_time),
    run_facets: null,
    error_rate: rate(roots?.errors),
    streaming_rate: rate(roots?.streamed),
  }
}

/** Null when nothing was counted. */
function toSeconds(count: number | undefined, micros: number | undefined): number | null {
  return !count || micros === undefined ? null : micros / 1e6
}
