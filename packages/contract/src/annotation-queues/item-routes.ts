import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import {
  ItemSection,
  ItemToReview,
  itemStartTimes,
  ListedQueueItem,
  QueueItem,
  QueueItemListQuery,
  QueueItemType,
} from './items.ts'
import { MAX_QUEUE_ADDITIONS, QueueItemUpdate, Review, ReviewUpdate } from './runs.ts'

const queueId = z.object({ queue_id: Uuid })
const itemId = queueId.extend({ item_id: Uuid })
/** Accepted for compatibility; this server keeps traces in queues anyway. */
const retention = z.object({ extend_trace_retention: QueryFlag.optional() })
const tag = 'annotation queues'

/** Items are runs or threads, in the form of generated clients. */
export const annotationQueueItemRoutes = describeRoutes(routes.annotationQueueItems, tag, {
  add: {
    summary: 'Add runs and threads to a queue, all or none; what is in it stays as it is',
    params: queueId,
    query: retention,
    body: z.object({
      items: z.array(ItemToReview).max(MAX_QUEUE_ADDITIONS),
      /** The same as in the query. */
      extend_trace_retention: z.boolean().nullish(),
    }),
    answer: z.object({ items: z.array(QueueItem) }),
  },
  list: {
    summary: 'Items of a section in the order of the caller, a page at a time',
    params: queueId,
    query: QueueItemListQuery,
    answer: z.object({ items: z.array(ListedQueueItem), next_cursor: z.string().nullable() }),
  },
  takeNext: {
    extension: true,
    summary: 'Reserve the first item that needs the review of the caller; null when there is none',
    params: queueId,
    answer: ListedQueueItem.nullable(),
  },
  count: {
    summary: 'How many items are in a section, or at all; archived ones between two times, both exclusive',
    params: queueId,
    query: z.object({
      status: z.enum(['all', ...ItemSection.options]),
      start_time: Time.optional(),
      end_time: Time.optional(),
      ...itemStartTimes,
    }),
    answer: z.object({ count: z.int() }),
  },
  update: {
    summary: 'Change when an item was added or last reviewed',
    params: itemId,
    body: QueueItemUpdate,
    answer: QueueItem,
  },
  delete: {
    summary: 'Remove items from a queue',
    params: queueId,
    body: z.object({ item_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS) }),
    answer: z.record(z.string(), z.string()),
  },
  placement: {
    summary: 'Section and place, from 0, of an item, and the cursor of the page that begins with it',
    params: itemId,
    answer: z.object({
      item_type: QueueItemType,
      section: ItemSection,
      position: z.int(),
      cursor: z.string(),
    }),
  },
  updateReview: {
    summary: 'Say that the caller looks at an item, has completed it, or neither; 409 while others hold it',
    params: z.object({ item_id: Uuid }),
    body: ReviewUpdate,
    answer: Review,
  },
  addReviewer: {
    summary: 'Assign a reviewer to a queue',
    params: queueId,
    body: z.object({ identity_id: Uuid }),
    status: 201,
    answer: z.object({ identity_id: z.string() }),
  },
  removeReviewer: {
    summary: 'Assign a reviewer to a queue no longer',
    params: queueId.extend({ identity_id: Uuid }),
    status: 204,
  },
})
