import { RunConditions, type RunFacet, type RunStats } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { microsBetween } from '../../../storage/analytics/durations.ts'
import { type Fragment, literal, printedTime, sql } from '../../../storage/analytics/sql.ts'
import {
  columns,
  count,
  type Decoded,
  each,
  figure,
  list,
  nullable,
  number,
  pick,
  record,
  text,
} from '../../../storage/rows.ts'
import { readFeedbackStatsByOwner } from '../../feedback/index.ts'
import { readFacetList } from './facets.ts'
import { selectMatchedRuns, selectRatedRuns } from './matched-runs.ts'
import { USAGE, USAGE_DETAILS } from './own-usage.ts'

const SUMS_OF_DETAILS = each(
  USAGE_DETAILS.map((column) => `sum_${column}` as const),
  record(figure),
)

/** Usage whose quantiles are shown; those of decimals are the most expensive. */
const WITH_QUANTILES = ['total_tokens', 'prompt_tokens', 'completion_tokens', 'total_cost'] as const

/** Aggregates over matched runs; sums are decimal text. Quantiles without values are []. */
export function toFigureColumns(details: boolean) {
  return {
    run_count: count,
    error_count: count,
    streamed_count: count,
    last_began: nullable(text),
    /** Microseconds: 0.5, 0.99 and the mean. */
    latency: list(figure),
    latency_mean: nullable(number),
    first_token_latency: list(figure),
    ...each(
      USAGE.map((column) => `sum_${column}` as const),
      nullable(text),
    ),
    ...each(
      WITH_QUANTILES.map((column) => `quantiles_${column}` as const),
      list(figure),
    ),
    ...pick(SUMS_OF_DETAILS, details ? USAGE_DETAILS.map((column) => `sum_${column}` as const) : []),
  }
}

export type FigureRow = Decoded<ReturnType<typeof toFigureColumns>>

/** The select list of `toFigureColumns`. */
export function selectFigures(details: boolean): Fragment {
  const sums = [
    ...USAGE.map((column) => `sum(used_${column}) as sum_${column}`),
    ...WITH_QUANTILES.map((column) => `${selectQuantiles(`used_${column}`)} as quantiles_${column}`),
    ...(details ? USAGE_DETAILS.map((column) => `sumMap(used_${column}) as sum_${column}`) : []),
  ]
  return sql`count() as run_count,
      countIf(outcome = 'error') as error_count,
      count(first_token) as streamed_count,
      max(began) as last_began,
      ${literal(selectQuantiles(diffMicros('ended')))} as latency,
      ${literal(`if(count(ended) = 0, null, avg(${diffMicros('ended')}))`)} as latency_mean,
      ${literal(selectQuantiles(diffMicros('first_token')))} as first_token_latency,
      ${literal(sums.join(',\n      '))}`
}

const diffMicros = (end: string) => microsBetween('began', end)

function selectQuantiles(value: string): string {
  const known = `isNotNull(${value})`
  return `if(countIf(${known}) = 0, [], quantilesExactIf(0.5, 0.99)(assumeNotNull(${value}), ${known}))`
}

type FiguresDeps = Pick<Deps, 'analytics'>

type Cost = 'total_cost' | 'prompt_cost' | 'completion_cost' | 'reported_cost'

/** Figures of a project; costs are decimal text with all digits. */
type ProjectFigures = Omit<RunStats, Cost> & { readonly [Name in Cost]: string | null }

/** Selects the root runs that are counted. */
export interface RootSelection {
  readonly filter?: string | undefined
  /** Only roots that started at this time or later. */
  readonly since?: string | undefined
}

/** Figures over the roots of projects that satisfy a filter, by project id, in one query. Projects without such roots are absent. */
export async function readProjectFigures(
  deps: FiguresDeps,
  tenantId: string,
  projectIds: readonly string[],
  wanted: RootSelection,
): Promise<Map<string, ProjectFigures>> {
  if (projectIds.length === 0) return new Map()
  const roots = toRootConditions(projectIds, wanted)
  const groups = sql`[toNullable(toString(session_id))]`
  const matched = selectMatchedRuns(tenantId, roots, { groups })
  const owners = sql`
    select run_id as id, assumeNotNull(groups[1]) as owner from (${selectRatedRuns(tenantId, roots, groups)})`
  const [rows, feedback] = await Promise.all([
    deps.analytics.query(
      sql`
      select assumeNotNull(groups[1]) as of_project, ${selectFigures(false)}
      from (${matched})
      group by of_project`,
      columns({ of_project: text, ...toFigureColumns(false) }),
    ),
    readFeedbackStatsByOwner(deps, tenantId, owners),
  ])
  return new Map(
    rows.map((row) => [
      row.of_project,
      {
        ...presentFigures(row),
        total_cost: row.sum_total_cost,
        prompt_cost: row.sum_prompt_cost,
        completion_cost: row.sum_completion_cost,
        reported_cost: row.sum_reported_cost,
        feedback_stats: feedback.get(row.of_project) ?? {},
      },
    ]),
  )
}

/** The most frequent values among the roots of a project. */
export async function readProjectFacets(
  deps: FiguresDeps,
  tenantId: string,
  projectId: string,
  wanted: RootSelection,
): Promise<RunFacet[]> {
  return readFacetList(deps, tenantId, toRootConditions([projectId], wanted))
}

function toRootConditions(projectIds: readonly string[], { filter, since }: RootSelection): RunConditions {
  return RunConditions.parse({ session: projectIds, is_root: true, filter, start_time: since })
}

/** Figures in wire form, without feedback and facets, which other queries supply. */
export function presentFigures(row: FigureRow) {
  const runs = row.run_count
  const rate = (part: number) => (runs === 0 ? null : part / runs)
  return {
    run_count: runs,
    latency_p50: toSeconds(row.latency[0]),
    latency_p99: toSeconds(row.latency[1]),
    latency_avg: toSeconds(row.latency_mean),
    first_token_p50: toSeconds(row.first_token_latency[0]),
    first_token_p99: toSeconds(row.first_token_latency[1]),
    total_tokens: Number(row.sum_total_tokens ?? 0),
    prompt_tokens: Number(row.sum_prompt_tokens ?? 0),
    completion_tokens: Number(row.sum_completion_tokens ?? 0),
    median_tokens: row.quantiles_total_tokens[0] ?? null,
    tokens_p99: row.quantiles_total_tokens[1] ?? null,
    prompt_tokens_p50: row.quantiles_prompt_tokens[0] ?? null,
    prompt_tokens_p99: row.quantiles_prompt_tokens[1] ?? null,
    completion_tokens_p50: row.quantiles_completion_tokens[0] ?? null,
    completion_tokens_p99: row.quantiles_completion_tokens[1] ?? null,
    last_run_start_time: runs === 0 || row.last_began === null ? null : printedTime(row.last_began),
    error_rate: rate(row.error_count),
    streaming_rate: rate(row.streamed_count),
    total_cost: toNumber(row.sum_total_cost),
    prompt_cost: toNumber(row.sum_prompt_cost),
    completion_cost: toNumber(row.sum_completion_cost),
    reported_cost: toNumber(row.sum_reported_cost),
    unpriced_fees: toNumber(row.sum_unpriced_fees),
    cost_p50: row.quantiles_total_cost[0] ?? null,
    cost_p99: row.quantiles_total_cost[1] ?? null,
    prompt_token_details: row.sum_prompt_token_details ?? null,
    completion_token_details: row.sum_completion_token_details ?? null,
    prompt_cost_details: row.sum_prompt_cost_details ?? null,
    completion_cost_details: row.sum_completion_cost_details ?? null,
  } satisfies RunStats
}

function toNumber(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal)
}

export function toSeconds(micros: number | null | undefined): number | null {
  return micros === null || micros === undefined ? null : micros / 1e6
}
