import { type RunConditions, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, join, literal, sql, time, uint, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { COUNT_ROW, columns, text } from '../../../storage/rows.ts'
import { selectRepeated } from '../usage-rows.ts'
import { whereRuns } from '../where.ts'
import { whereTrace } from '../where-trace.ts'
import { CLOCK_TOLERANCE_MS, isDetail, selectOwnUsage, whereProjects, whereUsageWindow } from './own-usage.ts'

/** A run outside a query whose usage may count for a run of the query. */
export interface RunBelow {
  readonly trace_id: string
  readonly id: string
}

/** What is known of the usage of a query before it is summed. */
export interface UsagePlan {
  /** All runs outside the query whose usage counts for its runs; undefined when they are not known. */
  readonly below: readonly RunBelow[] | undefined
  /** Whether the usage of an llm run may repeat that of a child. */
  readonly mayRepeat: boolean
}

export const UNKNOWN_USAGE: UsagePlan = { below: undefined, mayRepeat: true }

/** For queries whose usage is not read. */
export const NO_USAGE: UsagePlan = { below: [], mayRepeat: false }

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
  const { start_time: start, end_time: end } = query
  const lists = await Promise.all([
    listSome(analytics, fromOtherRuns(tenantId, query)),
    start ? listSome(analytics, fromRunsBefore(tenantId, query, start)) : [],
    end ? listSome(analytics, fromRunsAfter(tenantId, query, end)) : [],
  ])
  const found: RunBelow[] = []
  for (const list of lists) {
    if (list === undefined) return undefined
    found.push(...list)
  }
  return found.length === 0 ? [] : keepDescendants(analytics, tenantId, query, found)
}

const RUN_BELOW = columns({ trace_id: text, id: text })

/** @returns undefined when there are too many. Ids are read only where there are any, because most often there are none. */
async function listSome(analytics: Deps['analytics'], from: Fragment): Promise<readonly RunBelow[] | undefined> {
  const some = sql`limit ${uint(MAX_LISTED + 1)}`
  const [found] = await analytics.query(sql`select count() as n from (select 1 ${from} ${some})`, COUNT_ROW)
  if (!found?.n) return []
  return found.n > MAX_LISTED ? undefined : analytics.query(sql`select trace_id, id ${from} ${some}`, RUN_BELOW)
}

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
const HAS_USAGE = literal('total_tokens.null = 0 or total_cost.null = 0')

/** Descendants start after their run, with a day of tolerance for clock differences. */
function fromRunsBefore(tenantId: string, query: RunConditions, start: string): Fragment {
  const until = time(timeOfEpochMs(Date.parse(start) + CLOCK_TOLERANCE_MS))
  return sql`
    from project_usage final
    where ${whereUsageWindow(tenantId, query)} and start_time < ${time(start)}
      and trace_id in (select trace_id from runs final where ${whereRuns(tenantId, query)} and start_time < ${until})`
}

/** Runs with usage after the time range. Without any, the traces of the query are not read. */
function fromRunsAfter(tenantId: string, query: RunConditions, end: string): Fragment {
  const isLater = sql`${whereProjects(tenantId, query)} and start_time > ${time(end)}`
  return sql`
    from project_usage final
    where ${isLater} and trace_id in (
      select trace_id from runs final
      where (select count() from (select 1 from project_usage where ${isLater} limit 1)) > 0
        and ${whereRuns(tenantId, query)})`
}

/** Only the runs that have a run of the query among their ancestors. */
async function keepDescendants(
  analytics: Deps['analytics'],
  tenantId: string,
  query: RunConditions,
  runs: readonly RunBelow[],
): Promise<readonly RunBelow[]> {
  const inTraces = sql`tenant_id = ${uuid(tenantId)} and ${isInTracesOf(runs)}`
  return analytics.query(
    sql`
    select distinct trace_id, user as id
    from (
      select trace_id, id as user, arrayJoin(${PATH}) as above
      from trace_runs final
      where ${inTraces} and id in ${uuids(runs.map(({ id }) => id))}
    ) as steps
    inner join (
      select id as wanted from runs final
      where ${whereRuns(tenantId, query)} and (session_id, start_time, id) in (
        select session_id, start_time, id from trace_runs where ${inTraces})
    ) as wanted_runs on steps.above = wanted_runs.wanted`,
    RUN_BELOW,
  )
}

const isInTracesOf = (runs: readonly RunBelow[]) =>
  sql`trace_id in ${uuids([...new Set(runs.map(({ trace_id }) => trace_id))])}`

/** Ids of a run and its ancestors, the nearest first. */
const PATH = literal(`arrayConcat(
                arrayReverse(arrayMap(step -> toUUIDOrZero(right(step, 36)), splitByChar('.', dotted_order))),
                [trace_id])`)

interface CreditOptions {
  readonly groups: Fragment | undefined
  readonly columns: readonly string[]
  readonly plan: UsagePlan
}

/** Adds the usage of runs outside the query to the nearest run of the query among their ancestors. */
export function selectWithUsageBelow(
  tenantId: string,
  query: RunConditions,
  { groups, columns, plan: { below, mayRepeat } }: CreditOptions,
): Fragment {
  const where = whereRuns(tenantId, query)
  const window = whereUsageWindow(tenantId, query)
  const listed = below && isInTracesOf(below)
  const isBelow = below
    ? sql`${listed!} and id in ${uuids(below.map(({ id }) => id))}`
    : sql`trace_id in (select trace_id from runs final where ${where})
                and id not in (select id from runs final where ${where})`
  const list = (print: (column: string) => string) => literal(columns.map(print).join(', '))
  return sql`
    select run_id, began, ended, first_token, outcome, groups, ${list((column) => `${addColumns(column)} as used_${column}`)}
    from (${selectOwnUsage(tenantId, query, { groups, columns, prefix: 'own', mayRepeat })}) as matched
    left join (
      select nearest as run_id, ${list((column) => `${isDetail(column) ? 'sumMap' : 'sum'}(one_${column}) as below_${column}`)}
      from (
        select user, argMin(at.2, at.1) as nearest, ${list((column) => `any(of_${column}) as one_${column}`)}
        from (
          select user, arrayJoin(arrayZip(arrayEnumerate(path), path)) as at, ${list((column) => `of_${column}`)}
          from (
            select id as user,
              ${PATH} as path,
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
