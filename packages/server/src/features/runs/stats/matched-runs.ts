import { type RunConditions, type RunGrouping, timeOfEpochMs } from '@touchstone/contract'
import { type Fragment, join, literal, sql, text, time, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { selectRepeated } from '../usage-rows.ts'
import { whereRuns } from '../where.ts'

/** Usage columns of a matched run; unknown values are null. */
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

interface MatchOptions {
  /** SQL of the groups of a run. */
  readonly groups?: Fragment | undefined
  /** Whether to also sum the maps of details. */
  readonly details?: boolean
}

/**
 * A select with one row per run of a query: `run_id`, `began`, `ended`, `first_token`, `outcome`, `groups` and `used_…`,
 * the usage of the run and its descendants. Usage below several runs of the query counts for the nearest of them, so that
 * sums count it once. An llm run is not counted when a direct child reports usage, because both report the same tokens.
 *
 * Queries for all runs or for roots read the narrow tables of the projects, like the figures of projects. Usage of a
 * trace in another project counts in that project.
 */
export function selectMatchedRuns(tenantId: string, query: RunConditions, wanted: MatchOptions = {}): Fragment {
  if (wanted.details) return selectWithUsageBelow(tenantId, query, wanted.groups, [...USAGE, ...USAGE_DETAILS])
  if (isRootQuery(query)) return selectWithTraceUsage(tenantId, query, wanted.groups)
  return hasOnlyWindow(query)
    ? selectOwnUsage(tenantId, query, { groups: wanted.groups, prefix: 'used' })
    : selectWithUsageBelow(tenantId, query, wanted.groups, USAGE)
}

/** The runs of a query that may have feedback, with their groups: `run_id`, `groups`. */
export function selectRatedRuns(tenantId: string, query: RunConditions, groups: Fragment = NO_GROUPS): Fragment {
  return sql`
    select id as run_id, ${groups} as groups
    from runs final
    where ${whereRuns(tenantId, query)} and id in (select run_id from run_feedback where tenant_id = ${uuid(tenantId)})`
}

/** The threads of the runs of a query, with the groups of those: `thread_id`, `groups`. */
export function selectThreadsOfRuns(tenantId: string, query: RunConditions, groups: Fragment = NO_GROUPS): Fragment {
  return sql`select thread_id, ${groups} as groups from runs final where ${whereRuns(tenantId, query)} and thread_id != ''`
}

const NO_GROUPS = literal('[]')

function selectHead(groups: Fragment = NO_GROUPS): Fragment {
  return sql`
      select id as run_id, start_time as began, end_time as ended, first_token_time as first_token, status as outcome,
        ${groups} as groups`
}

/** The `from` and `where` of the runs of a query. Queries for all roots read a narrow table. */
export function fromRuns(tenantId: string, query: RunConditions, groups?: Fragment): Fragment {
  return groups === undefined && wantsAllRoots(query)
    ? sql`from project_roots final where ${whereWindow(tenantId, query)}`
    : sql`from runs final where ${whereRuns(tenantId, query)}`
}

/** Whether a query has no conditions but project, time and that runs are roots. */
export function wantsAllRoots(query: RunConditions): boolean {
  return isRootQuery(query) && hasOnlyWindow({ ...query, is_root: null, execution_order: null })
}

export function isRootQuery({ is_root, execution_order, id }: RunConditions): boolean {
  return !id?.length && (is_root === true || execution_order === 1)
}

/** Whether a query has conditions on project and time only; then the nearest run of the query is always the run itself. */
export function hasOnlyWindow(query: RunConditions): boolean {
  return CONDITIONS.every((name) => query[name] === undefined || query[name] === null || query[name] === '')
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

/** Conditions on tables that only have the keys of runs. */
function whereWindow(tenantId: string, query: RunConditions): Fragment {
  const conditions = [whereProjects(tenantId, query)]
  if (query.start_time) conditions.push(sql`start_time >= ${time(query.start_time)}`)
  if (query.end_time) conditions.push(sql`start_time <= ${time(query.end_time)}`)
  return join(conditions)
}

function whereProjects(tenantId: string, { session }: RunConditions): Fragment {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const [first, ...others] = session ?? []
  if (first === undefined) return tenant
  return others.length === 0
    ? sql`${tenant} and session_id = ${uuid(first)}`
    : sql`${tenant} and session_id in ${uuids([first, ...others])}`
}

const DAY = 24 * 60 * 60 * 1000

/**
 * The condition on rows that may have usage of the runs of a query: from one day before the start of the window, because
 * descendants start after their run, with a day of tolerance for clock differences.
 */
export function whereUsageWindow(tenantId: string, query: RunConditions): Fragment {
  const from = query.start_time ? Date.parse(query.start_time) - DAY : Number.NaN
  return from > 0
    ? sql`${whereProjects(tenantId, query)} and start_time >= ${time(timeOfEpochMs(from))}`
    : whereProjects(tenantId, query)
}

/** The runs of a query with the usage that they report themselves, in columns with the prefix. */
function selectOwnUsage(
  tenantId: string,
  query: RunConditions,
  { groups, columns = USAGE, prefix }: { groups?: Fragment | undefined; columns?: readonly string[]; prefix: string },
): Fragment {
  const none = (column: string) => (isDetail(column) ? `mapFilter((k, v) -> false, ${column})` : 'null')
  const used = columns.map((column) => `if(repeats, ${none(column)}, ${column}) as ${prefix}_${column}`)
  return sql`${selectHead(groups)},
        run_type = 'llm' and total_tokens is not null and id in (${selectRepeated(whereUsageWindow(tenantId, query))}) as repeats,
        ${literal(used.join(', '))}
      from runs final
      where ${whereRuns(tenantId, query)}`
}

const isDetail = (column: string) => column.endsWith('_details')

/** The usage of a root is the usage of its whole trace. */
function selectWithTraceUsage(tenantId: string, query: RunConditions, groups: Fragment | undefined): Fragment {
  const source = fromRuns(tenantId, query, groups)
  return sql`
    select *
    from (${selectHead(groups)} ${source}) as matched
    left join (
      select if(parent_run_id is null, id, trace_id) as run_id,
        ${literal(USAGE.map((column) => `sum(${column}) as used_${column}`).join(', '))}
      from project_usage final
      where ${whereUsageWindow(tenantId, query)}
        and (parent_run_id is null or trace_id in (select id ${source}))
        and not (is_llm and id in (${selectRepeated(whereUsageWindow(tenantId, query))}))
      group by run_id
    ) as credited using (run_id)`
}

/**
 * Adds the usage of runs outside the query to the nearest run of the query among their ancestors.
 */
function selectWithUsageBelow(
  tenantId: string,
  query: RunConditions,
  groups: Fragment | undefined,
  columns: readonly string[],
): Fragment {
  const where = whereRuns(tenantId, query)
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
              where ${whereUsageWindow(tenantId, query)}
                and trace_id in (select trace_id from runs final where ${where})
                and id not in (select id from runs final where ${where})
                and not (is_llm and id in (${selectRepeated(whereUsageWindow(tenantId, query))})))
          )
        ) as steps
        inner join (select id as wanted from runs final where ${where}) as wanted_runs on at.2 = wanted_runs.wanted
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

/**
 * SQL over the columns of `runs`: the groups of a run, or an array of one null when the run lacks the attribute. A run
 * is in a group once, even if its metadata repeats a value.
 */
export function toGroups({ attribute, path }: RunGrouping): Fragment {
  switch (attribute) {
    case 'tag':
      return orNoGroup(literal('tags'))
    case 'metadata':
      return orNoGroup(metadataValues(path ?? ''))
    default:
      return sql`[nullIf(toString(${literal(attribute)}), '')]`
  }
}

/** Values at a metadata key, strings without their leading `"`. */
function metadataValues(key: string): Fragment {
  return sql`arrayMap(v -> if(startsWith(v, '"'), substring(v, 2), v),
      arrayFilter((v, k) -> k = ${text(key)}, metadata.value, metadata.key))`
}

function orNoGroup(values: Fragment): Fragment {
  return sql`arrayMap(v -> toNullable(v), if(empty(${values}), [null], arrayMap(v -> toNullable(v), arrayDistinct(${values}))))`
}
