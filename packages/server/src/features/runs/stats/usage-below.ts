import { type RunConditions, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, join, literal, sql, time, uint, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { columns, text } from '../../../storage/rows.ts'
import { selectRepeated } from '../usage-rows.ts'
import { whereRuns } from '../where.ts'
import { whereTrace } from '../where-trace.ts'
import { CLOCK_TOLERANCE_MS, isDetail, selectOwnUsage, whereProjects, whereUsageWindow } from './own-usage.ts'

/** A run outside a query whose usage may count for a run of the query. */
export interface RunBelow {
  readonly trace_id: string
  readonly id: string
}

/** More runs than this are found again in the query that adds their usage, not sent to it. */
const MAX_LISTED = 10_000

/**
 * The runs outside a query whose usage may count for one of its runs, because that is an ancestor. There are none for the
 * most common conditions, such as all llm runs, and then the usage of a query is what its runs report themselves: one scan
 * of the runs instead of five.
 *
 * @returns undefined when there are too many to list
 */
export async function listUsageBelow(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<readonly RunBelow[] | undefined> {
  const list = async (from: Fragment) => {
    const rows = await analytics.query(sql`select trace_id, id ${from} limit ${uint(MAX_LISTED + 1)}`, RUN_BELOW)
    return rows.length > MAX_LISTED ? undefined : rows
  }
  const [others, early, late] = await Promise.all([
    list(fromOtherRuns(tenantId, query)),
    query.start_time ? list(fromRunsBefore(tenantId, query, query.start_time)) : [],
    query.end_time ? list(fromRunsAfter(tenantId, query, query.end_time)) : [],
  ])
  if (others === undefined || early === undefined || late === undefined) return undefined
  return [...others, ...early, ...(await keepTracesOf(analytics, tenantId, query, late))]
}

const RUN_BELOW = columns({ trace_id: text, id: text })

/** Runs with usage in the time range that do not satisfy the other conditions. */
function fromOtherRuns(tenantId: string, query: RunConditions): Fragment {
  const conditions = [whereProjects(tenantId, query)]
  if (query.start_time) conditions.push(sql`start_time >= ${time(query.start_time)}`)
  if (query.end_time) conditions.push(sql`start_time <= ${time(query.end_time)}`)
  if (query.trace) conditions.push(whereTrace(tenantId, query.trace))
  conditions.push(sql`(${HAS_USAGE}) and not ifNull(${whereRuns(tenantId, query)}, false)`)
  return sql`from runs final where ${join(conditions)}`
}

/** A total is stored wherever one of its parts is. */
const HAS_USAGE = literal('total_tokens is not null or total_cost is not null')

/** Descendants start after their run, with a day of tolerance for clock differences. */
function fromRunsBefore(tenantId: string, query: RunConditions, start: string): Fragment {
  const until = time(timeOfEpochMs(Date.parse(start) + CLOCK_TOLERANCE_MS))
  return sql`
    from project_usage final
    where ${whereUsageWindow(tenantId, query)} and start_time < ${time(start)}
      and trace_id in (select trace_id from runs final where ${whereRuns(tenantId, query)} and start_time < ${until})`
}

/** Runs with usage after the time range. */
function fromRunsAfter(tenantId: string, query: RunConditions, end: string): Fragment {
  return sql`from project_usage final where ${whereProjects(tenantId, query)} and start_time > ${time(end)}`
}

/** Without runs of traces that have no run of the query. */
async function keepTracesOf(
  analytics: Deps['analytics'],
  tenantId: string,
  query: RunConditions,
  runs: readonly RunBelow[],
): Promise<readonly RunBelow[]> {
  if (runs.length === 0) return []
  const traces = uuids([...new Set(runs.map(({ trace_id }) => trace_id))])
  const rows = await analytics.query(
    sql`select distinct trace_id from runs final where ${whereRuns(tenantId, query)} and trace_id in ${traces}`,
    columns({ trace_id: text }),
  )
  const wanted = new Set(rows.map(({ trace_id }) => trace_id))
  return runs.filter(({ trace_id }) => wanted.has(trace_id))
}

interface CreditOptions {
  readonly groups: Fragment | undefined
  readonly columns: readonly string[]
  /** All runs outside the query whose usage may count. @default they are found by the query */
  readonly below: readonly RunBelow[] | undefined
}

/** Adds the usage of runs outside the query to the nearest run of the query among their ancestors. */
export function selectWithUsageBelow(
  tenantId: string,
  query: RunConditions,
  { groups, columns, below }: CreditOptions,
): Fragment {
  const where = whereRuns(tenantId, query)
  const window = whereUsageWindow(tenantId, query)
  const listed = below && sql`trace_id in ${uuids([...new Set(below.map(({ trace_id }) => trace_id))])}`
  const isBelow = below
    ? sql`${listed!} and id in ${uuids(below.map(({ id }) => id))}`
    : sql`trace_id in (select trace_id from runs final where ${where})
                and id not in (select id from runs final where ${where})`
  const list = (print: (column: string) => string) => literal(columns.map(print).join(', '))
  return sql`
    select run_id, began, ended, first_token, outcome, groups, ${list((column) => `${addColumns(column)} as used_${column}`)}
    from (${selectOwnUsage(tenantId, query, { groups, columns, prefix: 'own' })}) as matched
    left join (
      select nearest as run_id, ${list((column) => `${isDetail(column) ? 'sumMap' : 'sum'}(one_${column}) as below_${column}`)}
      from (
        select user, argMin(at.2, at.1) as nearest, ${list((column) => `any(of_${column}) as one_${column}`)}
        from (
          select user, arrayJoin(arrayZip(arrayEnumerate(path), path)) as at, ${list((column) => `of_${column}`)}
          from (
            select id as user,
              arrayConcat(
                arrayReverse(arrayMap(step -> toUUIDOrZero(right(step, 36)), splitByChar('.', dotted_order))),
                [trace_id]) as path,
              ${list((column) => `${column} as of_${column}`)}
            from trace_runs final
            where tenant_id = ${uuid(tenantId)} and (trace_id, id) in (
              select trace_id, id from project_usage final
              where ${window} and ${isBelow}
                and not (is_llm and id in (${selectRepeated(window)})))
          )
        ) as steps
        inner join (
          select id as wanted from runs final where ${listed ? sql`${where} and ${listed}` : where}
        ) as wanted_runs on at.2 = wanted_runs.wanted
        group by user
      )
      group by nearest
    ) as credited using (run_id)`
}

/** Null only when both are null. */
function addColumns(column: string): string {
  const [own, below] = [`own_${column}`, `below_${column}`]
  if (isDetail(column)) return `mapAdd(${own}, ${below})`
  return `if(${own} is null and ${below} is null, null, ifNull(${own}, 0) + ifNull(${below}, 0))`
}
