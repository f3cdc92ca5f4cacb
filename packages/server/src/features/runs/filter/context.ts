import { type Comparison, toPositive } from '@touchstone/contract'
import { type Fragment, join, not, sql, uuid, uuids } from '../../../storage/analytics/sql.ts'

/** An operator and its value, apart from the field. */
export type Clause = Pick<Comparison, 'op' | 'value'>

/** Extends a compiler of positive comparisons to the negative ones, which are exact complements. */
export function withNegation<C extends Clause, Rest extends unknown[]>(
  compile: (clause: C, ...rest: Rest) => Fragment,
): (clause: C, ...rest: Rest) => Fragment {
  return (clause, ...rest) => {
    const positive = toPositive(clause)
    return positive === undefined ? compile(clause, ...rest) : not(compile(positive, ...rest))
  }
}

/** The runs that a filter applies to. Conditions on related rows use the same bounds. */
export interface FilterContext {
  readonly tenantId: string
  /** Projects of the query; empty means all projects of the workspace. */
  readonly projectIds: readonly string[]
  /** Restricts the query to one trace. */
  readonly traceId?: string | undefined
  /** The conditions are only tried on roots, whose totals are those of their traces. @default false */
  readonly onlyRoots?: boolean
  /** Clauses on feedback match records that were last changed within it. */
  readonly feedbackWindow?: FeedbackWindow | undefined
}

/** Bounds of `modified_at`: the lower one inclusive, the upper one exclusive. */
export interface FeedbackWindow {
  readonly from?: string | null | undefined
  readonly until?: string | null | undefined
}

/** The condition on rows of `runs` and related tables. One project is an equality, which uses the sort key best. */
export function toScopeCondition({ tenantId, projectIds, traceId }: FilterContext): Fragment {
  const conditions = [sql`tenant_id = ${uuid(tenantId)}`]
  const [first, ...others] = projectIds
  if (first !== undefined) {
    conditions.push(others.length === 0 ? sql`session_id = ${uuid(first)}` : sql`session_id in ${uuids(projectIds)}`)
  }
  if (traceId !== undefined) conditions.push(sql`trace_id = ${uuid(traceId)}`)
  return join(conditions)
}
