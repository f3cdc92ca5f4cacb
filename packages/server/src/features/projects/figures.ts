import type { Deps } from '../../deps.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { type Fragment, literal, sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, count, type Decoded, each, figure, list, nullable, text, truth } from '../../storage/rows.ts'

const ROOT_COLUMNS = {
  session_id: text,
  run_count: count,
  /** Quantiles 0.5 and 0.99 in microseconds; meaningless without runs. */
  latency: list(figure),
  first_token: list(figure),
  ended: count,
  errors: count,
  streamed: count,
  last_run_start_time: text,
}

/** Figures over the roots of a project. */
export type RootFigures = Decoded<typeof ROOT_COLUMNS>

export const USAGE = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
  'reported_cost',
  'unpriced_fees',
] as const

const USAGE_COLUMNS = { session_id: text, ...each(USAGE, nullable(text)) }

/** Sums over all runs of a project; null where no run reports a value. */
export type UsageFigures = Decoded<typeof USAGE_COLUMNS>

const FIGURE_ROW = columns({
  ...ROOT_COLUMNS,
  ...USAGE_COLUMNS,
  /** Null for usage. */
  last_run_start_time: nullable(text),
  /** Null for roots. */
  may_repeat: nullable(truth),
})

/** Figures by project id; projects without runs are absent. */
export interface FoundFigures {
  readonly roots: ReadonlyMap<string, RootFigures>
  readonly usage: ReadonlyMap<string, UsageFigures>
}

/**
 * Figures of projects from two narrow tables in one query. The usage of an llm run whose direct child reports usage is a
 * repetition. It is summed separately and subtracted, and only in projects that may have such runs: to check every run
 * takes as long as everything else.
 */
export async function selectFigures(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
  since?: string,
): Promise<FoundFigures> {
  const rows = await analytics.query(selectFigureRows(whereProjects(tenantId, projectIds, since)), FIGURE_ROW)
  const roots = rows.flatMap(({ last_run_start_time, ...row }) =>
    last_run_start_time === null ? [] : [{ ...row, last_run_start_time }],
  )
  const usage = rows.filter((row) => row.may_repeat === false)
  const repeating = rows.filter((row) => row.may_repeat === true).map((row) => row.session_id)
  const corrected = await selectUsageWithoutRepeated({ analytics }, tenantId, repeating, since)
  return { roots: toMap(roots), usage: toMap([...usage, ...corrected]) }
}

/** Sums of usage without repetitions, for projects that may have them. */
export async function selectUsageWithoutRepeated(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
  since?: string,
): Promise<UsageFigures[]> {
  if (projectIds.length === 0) return []
  return await analytics.query(selectCorrectedUsage(whereProjects(tenantId, projectIds, since)), columns(USAGE_COLUMNS))
}

/** Number of roots by project id; projects without roots are absent. */
export async function countRoots(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
): Promise<Map<string, number>> {
  if (projectIds.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select session_id, count() as n
    from project_roots final
    where ${whereProjects(tenantId, projectIds, undefined)}
    group by session_id`,
    columns({ session_id: text, n: count }),
  )
  return new Map(rows.map((row) => [row.session_id, row.n]))
}

function toMap<Row extends { readonly session_id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.session_id, row]))
}

/** One project, the usual case, is an equality, which is cheaper. */
function whereProjects(tenantId: string, ids: readonly string[], since: string | undefined): Fragment {
  const [id, ...others] = ids
  const ofProjects =
    id !== undefined && others.length === 0 ? sql`session_id = ${uuid(id)}` : sql`session_id in ${uuids(ids)}`
  const fromThen = since === undefined ? literal('') : sql` and start_time >= ${time(since)}`
  return sql`tenant_id = ${uuid(tenantId)} and ${ofProjects}${fromThen}`
}

function selectFigureRows(wanted: Fragment): Fragment {
  return sql`
      select session_id,
        count() as run_count,
        quantilesExactIf(0.5, 0.99)(${literal(microsBetween('start_time', 'end_time'))}, end_time is not null) as latency,
        quantilesExactIf(0.5, 0.99)(
          ${literal(microsBetween('start_time', 'first_token_time'))}, first_token_time is not null) as first_token,
        count(end_time) as ended,
        countIf(status = 'error') as errors,
        count(first_token_time) as streamed,
        max(start_time) as last_run_start_time,
        ${literal(USAGE.map((column) => `null as ${column}`).join(', '))},
        null as may_repeat
      from project_roots final
      where ${wanted}
      group by session_id
    union all
      select session_id, 0, [], [], 0, 0, 0, null,
        ${literal(USAGE.map((column) => `sum(${column})`).join(', '))},
        max(may_repeat)
      from project_usage final
      where ${wanted}
      group by session_id`
}

function selectCorrectedUsage(wanted: Fragment): Fragment {
  return sql`
    select session_id, ${literal(USAGE.map(subtractRepeated).join(', '))}
    from (
      select session_id, ${literal(USAGE.map(sumColumn).join(', '))}
      from project_usage final
      where ${wanted}
      group by session_id
    ) as every
    left join (
      select session_id, ${literal(USAGE.map(sumColumn).join(', '))}
      from project_usage final
      where ${wanted} and is_llm and id in (
        select assumeNotNull(parent_run_id) from project_usage final
        where ${wanted} and parent_run_id is not null and total_tokens is not null)
      group by session_id
    ) as repeated using (session_id)`
}

function sumColumn(column: string): string {
  return `sum(${column}) as ${column}_sum, count(${column}) as ${column}_known`
}

/** Null, not 0, when only repeated runs report a value. */
function subtractRepeated(column: string): string {
  const known = `every.${column}_known = repeated.${column}_known`
  return `if(${known}, null, every.${column}_sum - ifNull(repeated.${column}_sum, 0)) as ${column}`
}
