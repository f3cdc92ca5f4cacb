import { type Fragment, join, sql, uuid, uuids } from '../../../storage/analytics/sql.ts'

/** Whose runs a filter is asked of; a condition on other rows of the store looks no further than this. */
export interface FilterContext {
  readonly tenantId: string
  /** Projects of the query; all of the workspace when there are none. */
  readonly projectIds: readonly string[]
  /** The only trace that the query looks at, if it names one. */
  readonly traceId?: string | undefined
  /** Clauses on feedback speak of records that were last changed within it. */
  readonly feedbackWindow?: FeedbackWindow | undefined
}

/** Bounds of `modified_at`: the lower one inclusive, the upper one exclusive. */
export interface FeedbackWindow {
  readonly from?: string | null | undefined
  readonly until?: string | null | undefined
}

/** Rows of `runs` and the tables beside it that the context reaches. One project is an equality, which the key serves best. */
export function scopeOf({ tenantId, projectIds, traceId }: FilterContext): Fragment {
  const conditions = [sql`tenant_id = ${uuid(tenantId)}`]
  if (projectIds.length === 1) conditions.push(sql`session_id = ${uuid(projectIds[0]!)}`)
  if (projectIds.length > 1) conditions.push(sql`session_id in ${uuids(projectIds)}`)
  if (traceId !== undefined) conditions.push(sql`trace_id = ${uuid(traceId)}`)
  return join(conditions)
}
