import { ApiError } from '@touchstone/contract'

/**
 * Refuses what needs a model to answer it.
 *
 * @throws ApiError NOT_IMPLEMENTED for a query with words in one of these fields
 */
export function refuseSemanticSearch(query: {
  readonly ai_search?: string | null | undefined
  readonly sem_filter?: string | null | undefined
}): void {
  for (const field of ['ai_search', 'sem_filter'] as const) {
    if (!query[field]?.trim()) continue
    throw new ApiError(
      'NOT_IMPLEMENTED',
      `This server does not offer ${field}; use filter, trace_filter or tree_filter.`,
    )
  }
}
