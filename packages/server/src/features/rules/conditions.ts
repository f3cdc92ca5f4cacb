import { type RuleDefinition, RunConditions } from '@touchstone/contract'
import { all, type Fragment, literal, sql } from '../../storage/analytics/sql.ts'
import { whereRuns } from '../runs/index.ts'

type Filters = Pick<RuleDefinition, 'project_ids' | 'filter' | 'trace_filter' | 'tree_filter'>

/** The runs of a rule as conditions of a query. */
export function toRunConditions({ project_ids, filter, trace_filter, tree_filter }: Filters): RunConditions {
  return RunConditions.parse({ session: project_ids, filter, trace_filter, tree_filter })
}

/**
 * Rows of `runs` that a rule acts on: one condition for live runs, counts and explanations.
 *
 * @throws FilterError
 */
export function whereMatches(tenantId: string, definition: Filters): Fragment {
  return all([whereRuns(tenantId, toRunConditions(definition)), IS_READY])
}

/** A run is ready when it has ended. */
export const IS_READY = literal('end_time is not null')

/** Rows of `runs` that a rule looks at. */
export function whereSeen(tenantId: string, { project_ids }: Filters): Fragment {
  return sql`${whereRuns(tenantId, toRunConditions({ project_ids, filter: null, trace_filter: null, tree_filter: null }))} and ${IS_READY}`
}
