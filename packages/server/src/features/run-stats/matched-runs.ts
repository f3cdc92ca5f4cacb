import type { RunConditions } from '@touchstone/contract'
import { type Fragment, join, literal, sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { whereOf } from '../runs/index.ts'

/** Columns of usage that a run of the relation has; unknown is null. */
export const USAGE = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
] as const

export const USAGE_DETAILS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const

interface Wanted {
  /** SQL of the groups a run is in. */
  readonly groups?: Fragment | undefined
  /** Whether to sum the maps of details, too. */
  readonly details?: boolean
}

/**
 * The runs of a query as a relation, a row each: `run_id`, `began`, `ended`, `first_token`, `outcome`, `groups` and
 * `used_…`, the usage of the run and of all below it. Usage below several runs of the query counts for the nearest of
 * them, so that sums count it once. An llm run whose direct child reports usage only repeats it, and is not counted.
 */
export function matchedRuns(tenantId: string, query: RunConditions, wanted: Wanted = {}): Fragment {
  const columns = wanted.details ? [...USAGE, ...USAGE_DETAILS] : [...USAGE]
  const head = sql`
      select id as run_id, start_time as began, end_time as ended, first_token_time as first_token, status as outcome,
        ${wanted.groups ?? literal('[]')} as groups`
  return takesAll(query) ? withOwnUsage(head, tenantId, query, columns) : withUsageBelow(head, tenantId, query, columns)
}

/** Whether nothing but project and time is asked for; then the nearest run of the query is always the run itself. */
function takesAll({ session: _, start_time: __, end_time: ___, ...narrowing }: RunConditions): boolean {
  return CONDITIONS.every((name) => narrowing[name] === undefined || narrowing[name] === null || narrowing[name] === '')
}

const CONDITIONS = [
  'id',
  'trace',
  'parent_run',
  'run_type',
  'is_root',
  'reference_example',
  'execution_order',
  'error',
  'query',
  'filter',
  'trace_filter',
  'tree_filter',
  'search_filter',
] as const satisfies readonly (keyof RunConditions)[]

function withOwnUsage(head: Fragment, tenantId: string, query: RunConditions, columns: readonly string[]): Fragment {
  const used = columns.map((column) => `if(repeats, ${nothing(column)}, ${column}) as used_${column}`)
  return sql`${head},
        run_type = 'llm' and total_tokens is not null and id in (
          select assumeNotNull(parent_run_id) from project_usage final
          where ${windowOf(tenantId, query)} and parent_run_id is not null and total_tokens is not null) as repeats,
        ${literal(used.join(', '))}
      from runs final
      where ${whereOf(tenantId, query)}`
}

const nothing = (column: string) => (column.endsWith('_details') ? 'map()' : 'null')

/** The conditions of a query that takes all, on a table that has the keys of runs only. */
function windowOf(tenantId: string, query: RunConditions): Fragment {
  const conditions = [sql`tenant_id = ${uuid(tenantId)}`]
  if (query.session?.length) conditions.push(sql`session_id in ${uuids(query.session)}`)
  if (query.start_time) conditions.push(sql`start_time >= ${time(query.start_time)}`)
  return join(conditions)
}

/** Every run with usage looks for the nearest run of the query on its path: itself, its parent, … the root. */
function withUsageBelow(head: Fragment, tenantId: string, query: RunConditions, columns: readonly string[]): Fragment {
  const where = whereOf(tenantId, query)
  const list = (print: (column: string, at: number) => string) => literal(columns.map(print).join(', '))
  return sql`
    select *
    from (${head} from runs final where ${where}) as matched
    left join (
      select nearest as run_id, ${list((column) => `${summing(column)}(own_${column}) as used_${column}`)}
      from (
        select one.1 as user, argMin(at.2, at.1) as nearest,
          ${list((column, at) => `any(one.${at + 4}) as own_${column}`)}
        from (
          select one, arrayJoin(arrayZip(arrayEnumerate(path), path)) as at
          from (
            select one,
              arrayConcat(
                [one.1],
                arrayReverse(arrayMap(step -> toUUIDOrZero(right(step, 36)), splitByChar('.', one.2))),
                [one.3]) as path
            from (
              select arrayJoin(arrayFilter(u -> not has(repeated, u.1), used)) as one
              from (
                select
                  groupArray((id, dotted_order, trace_id, ${list((column) => column)})) as used,
                  arrayIntersect(
                    groupArrayIf(id, run_type = 'llm'),
                    groupArrayIf(assumeNotNull(parent_run_id), parent_run_id is not null and total_tokens is not null)
                  ) as repeated
                from trace_runs final
                where tenant_id = ${uuid(tenantId)}
                  and trace_id in (select trace_id from runs final where ${where})
                  and (total_tokens is not null or total_cost is not null)
                group by trace_id
              )
            )
          )
        ) as steps
        inner join (select id as wanted from runs final where ${where}) as wanted_runs on at.2 = wanted_runs.wanted
        group by user
      )
      group by nearest
    ) as credited using (run_id)`
}

const summing = (column: string) => (column.endsWith('_details') ? 'sumMap' : 'sum')
