import { ApiError, type RunConditions } from '@touchstone/contract'

/**
 * The door of the filter language. Until its folder is filled, a query that uses it is refused: ignoring a filter would
 * answer with runs that were not asked for.
 *
 * @throws ApiError NOT_IMPLEMENTED when the query has a filter
 */
export function refuseFilters(query: RunConditions): void {
  for (const field of ['filter', 'trace_filter', 'tree_filter', 'search_filter', 'query'] as const) {
    if (query[field])
      throw new ApiError('NOT_IMPLEMENTED', `${field}: this server does not read the filter language yet`)
  }
}
