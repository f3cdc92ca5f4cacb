import { guid, oneOf, optional, type SearchOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

export const QUEUES_SEARCH_DEFAULTS = { q: '' } as const

/** Search params of the list of annotation queues. */
export const QueuesSearch = searchSchema({ q: withDefault(text(), QUEUES_SEARCH_DEFAULTS.q) })
export type QueuesSearch = SearchOf<typeof QueuesSearch>

/** The lists of a queue, by the progress of the caller's review. */
export const QUEUE_STATUSES = ['needs_my_review', 'needs_others_review', 'completed'] as const
export type QueueStatus = (typeof QUEUE_STATUSES)[number]

export const QUEUE_SEARCH_DEFAULTS = { status: QUEUE_STATUSES[0] } as const

/** Search params of a queue. */
export const QueueSearch = searchSchema({
  status: withDefault(oneOf(QUEUE_STATUSES), QUEUE_SEARCH_DEFAULTS.status),
  peek: optional(guid()),
})
export type QueueSearch = SearchOf<typeof QueueSearch>

/** Search params of the review of a queue: the item that is open; absent: the next one. */
export const ReviewSearch = searchSchema({ item: optional(guid()) })
export type ReviewSearch = SearchOf<typeof ReviewSearch>
