import { z } from 'zod'
import { Uuid } from '../wire/ids.ts'
import { Time } from '../wire/time.ts'

export const QueueItemType = z.enum(['RUN', 'THREAD'])
export type QueueItemType = z.infer<typeof QueueItemType>

/** A run or a thread in a queue. */
export const QueueItem = z.object({
  id: z.string(),
  queue_id: z.string(),
  item_type: QueueItemType,
  run_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  project_id: z.string(),
  /** Of the run, or of the first trace of the thread. */
  start_time: z.string(),
  added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueItem = z.infer<typeof QueueItem>

export const ListedQueueItem = QueueItem.extend({
  completed_by: z.array(z.string()),
  reserved_by: z.array(z.string()),
  effective_added_at: z.string(),
  /** Always empty: a queue has reviewers, its items have none of their own. */
  assigned_to: z.array(z.string()),
})
export type ListedQueueItem = z.infer<typeof ListedQueueItem>

export const ItemToReview = z
  .object({
    item_type: QueueItemType,
    run_id: Uuid.nullish(),
    thread_id: z.string().nullish(),
    project_id: Uuid.nullish(),
    /** The same as `project_id`. */
    session_id: Uuid.nullish(),
    start_time: Time.nullish(),
    source_proposed_example_id: Uuid.nullish(),
  })
  .refine((item) => item.item_type !== 'RUN' || item.run_id, { error: 'a RUN needs run_id' })
  .refine((item) => item.item_type !== 'THREAD' || (item.thread_id && (item.project_id ?? item.session_id)), {
    error: 'a THREAD needs thread_id and project_id',
  })
export type ItemToReview = z.output<typeof ItemToReview>

/** The three sections under the names of the items API. */
export const ItemSection = z.enum(['needs_my_review', 'needs_others_review', 'archived'])
export type ItemSection = z.infer<typeof ItemSection>

/** Generated clients send the zero time for no bound. */
const Bound = Time.transform((time) => (time.startsWith('0001-01-01') ? undefined : time)).optional()

/** Of the run, or of the first trace of the thread; both inclusive. */
export const itemStartTimes = { min_start_time: Bound, max_start_time: Bound }

export const QueueItemListQuery = z
  .object({
    ...itemStartTimes,
    status: ItemSection,
    /** From an earlier page, or from a placement. */
    cursor: z.string().optional(),
    /** `backward`: the items before the cursor, in the order of the queue. @default forward */
    direction: z.enum(['forward', 'backward']).default('forward'),
    item_type: QueueItemType.optional(),
    page_size: z.coerce.number().pipe(z.int().min(1).max(100)).default(100),
  })
  .refine(({ direction, cursor }) => direction === 'forward' || cursor, { error: 'backward needs a cursor' })
export type QueueItemListQuery = z.output<typeof QueueItemListQuery>
