import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Clock } from '../../../deps.ts'

/**
 * Rejects semantic search, which would require a model.
 *
 * @throws ApiError NOT_IMPLEMENTED for a query with words in one of these fields
 */
export function assertNoSemanticSearch(query: {
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

const DAY_MS = 24 * 60 * 60 * 1000

/** Start of the default time window of a query. */
export function oneDayAgo(clock: Clock): string {
  return timeOfEpochMs(clock() - DAY_MS)
}
