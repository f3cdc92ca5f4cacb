import { bigint, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

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
  /** Of the run, or of the first trace of the thread. */
  start_time: time().notNull(),
  added_at: time().notNull(),
  last_reviewed_time: time(),
  source_proposed_example_id: uuid(),
  /** The example that was made of it. */
  example_id: uuid(),
  /** Since when enough reviewers have completed it. */
  completed_at: time(),
})
export type QueueItemRow = typeof queueItems.$inferSelect
