import type { BulkJob } from '@touchstone/contract'
import { bigint, boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const bulkJobs = pgTable('bulk_jobs', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  action: text().$type<BulkJob['action']>().notNull(),
  request: text('wish').notNull(),
  status: text().$type<BulkJob['status']>().notNull(),
  total: integer().notNull(),
  done: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  cursor: text(),
  error: text(),
  bytes: bigint({ mode: 'number' }),
  is_undone: boolean().notNull().default(false),
  created_at: time().notNull(),
  created_by_name: text(),
  started_at: time(),
  ended_at: time(),
})
export type JobRow = typeof bulkJobs.$inferSelect

export const bulkJobFailures = pgTable('bulk_job_failures', {
  job_id: uuid().notNull(),
  number: integer().notNull().generatedAlwaysAsIdentity(),
  item_id: text().notNull(),
  message: text().notNull(),
})

export const bulkJobExamples = pgTable('bulk_job_examples', {
  job_id: uuid().notNull(),
  number: integer().notNull().generatedAlwaysAsIdentity(),
  example_ids: uuid().array().notNull(),
})
