import type { RunConditions, RunGrouping } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, join, literal, sql, text, time, uuid } from '../../../storage/analytics/sql.ts'
import { selectRepeated } from '../usage-rows.ts'
import { whereRuns } from '../where.ts'
import {
  mayUsageRepeat,
  NO_GROUPS,
  selectHead,
  selectOwnUsage,
  USAGE,
  USAGE_DETAILS,
  whereProjects,
  whereUsageWindow,
} from './own-usage.ts'
import { listUsageBelow, selectWithUsageBelow, UNKNOWN_USAGE, type UsagePlan } from './usage-below.ts'

interface MatchOptions {
  /** SQL of the groups of a run. */
  readonly groups?: Fragment | undefined
  /** Whether to also sum the maps of details. */
  readonly details?: boolean
  /** @default nothing is known */
  readonly plan?: UsagePlan
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
  const { groups, details, plan = UNKNOWN_USAGE } = wanted
  const columns = details ? [...USAGE, ...USAGE_DETAILS] : USAGE
  if (!details && isRootQuery(query)) return selectWithTraceUsage(tenantId, query, groups)
  return hasOnlyWindow(query) || plan.below?.length === 0
    ? selectOwnUsage(tenantId, query, { groups, columns, prefix: 'used', mayRepeat: plan.mayRepeat })
    : selectWithUsageBelow(tenantId, query, { groups, columns, plan })
}

/** Finds out what makes `selectMatchedRuns` cheaper. */
export async function planUsage(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<UsagePlan> {
  if (isRootQuery(query)) return UNKNOWN_USAGE
  const [below, mayRepeat] = await Promise.all([
    hasOnlyWindow(query) ? [] : listUsageBelow(deps, tenantId, query),
    mayUsageRepeat(deps, tenantId, query),
  ])
  return { below, mayRepeat }
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
