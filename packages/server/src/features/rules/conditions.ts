import { type RuleDefinition, RunConditions } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { all, type Fragment, literal, sql } from '../../storage/analytics/sql.ts'
import { projects } from '../../storage/relational/tables/projects.ts'
import { whereRuns } from '../runs/index.ts'

type Filters = Pick<RuleDefinition, 'filter' | 'trace_filter' | 'tree_filter'>

/** Which rows a definition is about, with the projects that it means now. */
export interface Scope extends Filters {
  readonly target: RuleDefinition['target']
  readonly project_ids: readonly string[]
}

/** A definition with the experiments of its dataset as projects. */
export async function readScope(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  definition: RuleDefinition,
): Promise<Scope> {
  if (definition.dataset_id == null) return definition
  const found = await relational.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.reference_dataset_id, definition.dataset_id)))
  return { ...definition, project_ids: found.map(({ id }) => id) }
}

/** The runs of a rule as conditions of a query. */
export function toRunConditions({
  project_ids,
  filter,
  trace_filter,
  tree_filter,
}: Filters & Pick<Scope, 'project_ids'>): RunConditions {
  return RunConditions.parse({ session: project_ids, filter, trace_filter, tree_filter })
}

/** The same projects and target, all rows. */
export const withoutFilters = (scope: Scope): Scope => ({
  ...scope,
  filter: null,
  trace_filter: null,
  tree_filter: null,
})

/**
 * Rows of `runs` that a rule acts on: one condition for live runs, backfills, counts and explanations. Of traces and threads
 * these are the roots.
 *
 * @throws FilterError
 */
export function whereMatches(tenantId: string, scope: Scope): Fragment {
  return all([whereRuns(tenantId, toRunConditions(scope)), ...whereTarget(scope)])
}

/** Rows of `runs` that a rule looks at. */
export function whereSeen(tenantId: string, scope: Scope): Fragment {
  return whereMatches(tenantId, withoutFilters(scope))
}

/** A run is ready when it has ended. */
export const IS_READY = literal('end_time is not null')
export const IS_ROOT = literal('parent_run_id is null')
export const IS_IN_THREAD = literal("thread_id != ''")

function whereTarget({ target, project_ids }: Scope): Fragment[] {
  // Without projects, the condition on them would be absent.
  const some = project_ids.length === 0 ? [sql`false`] : []
  if (target === 'thread') return [...some, IS_READY, IS_ROOT, IS_IN_THREAD]
  return target === 'trace' ? [...some, IS_READY, IS_ROOT] : [...some, IS_READY]
}
