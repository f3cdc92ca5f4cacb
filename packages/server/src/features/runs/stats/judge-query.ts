import { ApiError, parseFilter, type QueryVerdict, RunQuery } from '@touchstone/contract'

const FILTERS = ['filter', 'trace_filter', 'tree_filter', 'search_filter'] as const

/** Everything that is wrong with a query, field by field, without running it. */
export function judgeQuery(body: unknown): QueryVerdict {
  const parsed = RunQuery.safeParse(body)
  const errors = parsed.success
    ? FILTERS.flatMap((field) => filterProblem(field, parsed.data[field]))
    : parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  return { valid: errors.length === 0, errors }
}

function filterProblem(field: string, text: string | null | undefined): QueryVerdict['errors'] {
  try {
    parseFilter(text ?? '')
    return []
  } catch (error) {
    if (error instanceof ApiError) return [{ field, message: error.message }]
    throw error
  }
}
