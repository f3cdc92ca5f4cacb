import { parseFilter, type RunConditions } from '@touchstone/contract'
import { type Fragment, join, sql } from '../../../storage/analytics/sql.ts'
import { compileFilter } from './compile.ts'
import { type FilterContext, scopeOf } from './context.ts'
import { hasWords } from './words.ts'

/**
 * The conditions of all filters of a query: `filter` and `search_filter` on the run itself, `trace_filter` on the root of
 * its trace, `tree_filter` on any run of its trace, `query` as words of the run.
 *
 * @throws FilterError
 */
export function filtersOf(tenantId: string, query: RunConditions): Fragment[] {
  const context: FilterContext = { tenantId, projectIds: query.session ?? [] }
  const compiled = (text: string | null | undefined) => {
    const filter = parseFilter(text ?? '')
    return filter && compileFilter(filter, context)
  }
  const [own, searched] = [compiled(query.filter), compiled(query.search_filter)]
  const [root, member] = [compiled(query.trace_filter), compiled(query.tree_filter)]
  return [
    own,
    searched,
    query.query?.trim() ? hasWords(query.query) : undefined,
    root && inTracesOf(context, sql`parent_run_id is null and ${root}`),
    member && inTracesOf(context, member),
  ].filter((condition) => condition !== undefined)
}

/** Traces of which a run in the same projects satisfies the condition. */
function inTracesOf(context: FilterContext, condition: Fragment): Fragment {
  return sql`trace_id in (select trace_id from runs final where ${join([scopeOf(context), condition])})`
}
