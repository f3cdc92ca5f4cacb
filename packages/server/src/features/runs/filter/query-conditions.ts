import { ApiError, type Filter, isLogical, parseFilter, type RunConditions } from '@touchstone/contract'
import { type Fragment, join, sql } from '../../../storage/analytics/sql.ts'
import { compileFilter } from './compile.ts'
import { type FeedbackWindow, type FilterContext, toScopeCondition } from './context.ts'
import { hasWords } from './words.ts'

/**
 * The conditions of all filters of a query: `filter` and `search_filter` on the run itself, `trace_filter` on the root of
 * its trace, `tree_filter` on any run of its trace, `query` as words of the run.
 *
 * @throws FilterError
 * @throws ApiError INVALID_REQUEST when they are too large together, or a feedback window is given without a clause on feedback
 */
export function toFilterConditions(
  tenantId: string,
  query: RunConditions & { readonly feedbackWindow?: FeedbackWindow | undefined },
): Fragment[] {
  const { feedbackWindow } = query
  const context: FilterContext = {
    tenantId,
    projectIds: query.session ?? [],
    traceId: query.trace ?? undefined,
    feedbackWindow,
  }
  const parsed = [query.filter, query.search_filter, query.trace_filter, query.tree_filter].map((text) =>
    parseFilter(text ?? ''),
  )
  const [ofRun, ofSearch, ofRoot, ofMember] = parsed
  const ofRuns = { ...context, onlyRoots: query.is_root === true || [ofRun, ofSearch].some(isOfRoots) }
  const own = ofRun && compileFilter(ofRun, ofRuns)
  const searched = ofSearch && compileFilter(ofSearch, ofRuns)
  const root = ofRoot && compileFilter(ofRoot, { ...context, onlyRoots: true })
  const member = ofMember && compileFilter(ofMember, context)
  const usesFeedback = parsed.some((filter) => filter !== undefined && hasFeedbackClause(filter))
  if (feedbackWindow !== undefined && !usesFeedback) {
    const bounds = 'min_feedback_modified_at and max_feedback_modified_at'
    throw new ApiError(
      'INVALID_REQUEST',
      `${bounds} need a condition on feedback in a filter, such as eq(feedback_key, "correct").`,
    )
  }
  const conditions = [
    own,
    searched,
    query.query?.trim() ? hasWords(query.query) : undefined,
    root && inTraces(context, sql`parent_run_id is null and ${root}`),
    member && inTraces(context, member),
  ].filter((condition) => condition !== undefined)
  assertSize(conditions)
  return conditions
}

/** Whether only roots can satisfy a filter, as far as its outermost clauses say so. */
function isOfRoots(filter: Filter | undefined): boolean {
  if (filter === undefined) return false
  if (isLogical(filter)) return filter.op === 'and' && filter.args.some(isOfRoots)
  return filter.field === 'is_root' && filter.op === 'eq' && filter.value === true
}

function hasFeedbackClause(filter: Filter): boolean {
  if (isLogical(filter)) return filter.args.some(hasFeedbackClause)
  return filter.field?.startsWith('feedback_') === true
}

/** Characters of SQL for all filters of a query; the engine needs more than linear time to parse them. */
const MAX_SQL_LENGTH = 128 * 1024

function assertSize(conditions: readonly Fragment[]): void {
  const length = conditions.reduce((sum, { text }) => sum + text.length, 0)
  if (length <= MAX_SQL_LENGTH) return
  const found = `they become ${length} characters of SQL, at most ${MAX_SQL_LENGTH} are allowed`
  throw new ApiError('INVALID_REQUEST', `The filters are too large: ${found}. Use fewer clauses.`)
}

/** Traces in which a run of the same projects satisfies the condition. */
function inTraces(context: FilterContext, condition: Fragment): Fragment {
  return sql`trace_id in (select trace_id from runs final where ${join([toScopeCondition(context), condition])})`
}
