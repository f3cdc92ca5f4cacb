import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const annotationQueues = pgTable('annotation_queues', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text(),
  queue_type: text().notNull(),
  default_dataset: uuid(),
  /** Null: all members who may review. */
  num_reviewers_per_item: integer(),
  enable_reservations: boolean().notNull(),
  reservation_minutes: integer().notNull(),
  reviewer_access_mode: text().notNull(),
  /** Whether reviewers see what others said about an item only after they have completed it. */
  hide_others_scores: boolean().notNull().default(false),
  rubric_instructions: text(),
  /** JSON text as received, like the next column. */
  rubric_items: text(),
  metadata: text(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type QueueRow = typeof annotationQueues.$inferSelect

export const queueReviewers = pgTable('annotation_queue_reviewers', {
  queue_id: uuid().notNull(),
  identity_id: uuid().notNull(),
})

export const queueReviews = pgTable('annotation_queue_reviews', {
  item_id: uuid().notNull(),
  identity_id: uuid().notNull(),
  reserved_until: time(),
  completed_at: time(),
  /** State of the item for this reviewer. */
  override_added_at: time(),
})
export type ReviewRow = typeof queueReviews.$inferSelect

export const queueItems = pgTable('annotation_queue_items', {
  id: uuid().primaryKey(),
  /** Order of insertion. */
  number: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  tenant_id: uuid().notNull(),
  queue_id: uuid().notNull(),
  /** Of a run, with its trace; otherwise the item is a thread. */
  run_id: uuid(),
  trace_id: uuid(),
  thread_id: text(),
  project_id: uuid().notNull(),
  /** Project and start of the run, or of the first trace of the thread. */
  start_time: time().notNull(),
  added_at: time().notNull(),
  last_reviewed_time: time(),
  source_proposed_example_id: uuid(),
  /** The example that was made from it. */
  example_id: uuid(),
  /** Time since which enough reviewers have completed it. */
  completed_at: time(),
})
export type QueueItemRow = typeof queueItems.$inferSelect
