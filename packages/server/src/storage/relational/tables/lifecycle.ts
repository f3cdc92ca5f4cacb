import type { BulkJob, Deletion } from '@touchstone/contract'
import { bigint, boolean, integer, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

const amount = () => bigint({ mode: 'number' }).notNull().default(0)

export const deletions = pgTable('deletions', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  kind: text().$type<Deletion['kind']>().notNull(),
  subject: text().notNull(),
  requested_by: text(),
  /** The person or key that requested it; null for retention and while the server is open. */
  requester_id: uuid(),
  status: text().$type<Deletion['status']>().notNull(),
  error: text(),
  runs: amount(),
  feedback: amount(),
  attachments: amount(),
  attachment_bytes: amount(),
  examples: amount(),
  queue_items: amount(),
  shares: amount(),
  blobs_removed: amount(),
  blob_bytes_removed: amount(),
  blobs_kept: amount(),
  remaining: bigint({ mode: 'number' }),
  verified_at: time(),
  erased_at: time(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
  ended_at: time(),
})
export type DeletionRow = typeof deletions.$inferSelect

/** Blobs that a deletion no longer references, until the sweep has checked them. */
export const deletionBlobs = pgTable('deletion_blobs', {
  deletion_id: uuid().notNull(),
  blob: text().notNull(),
  bytes: bigint({ mode: 'number' }).notNull(),
})

/** One row: the result of the last sweep. */
export const blobSweeps = pgTable('blob_sweeps', {
  id: boolean().primaryKey().default(true),
  ended_at: time().notNull(),
  blobs: amount(),
  bytes: amount(),
  unreferenced: amount(),
  unreferenced_bytes: amount(),
  removed: amount(),
  removed_bytes: amount(),
})

export const workspaceRetention = pgTable('workspace_retention', {
  tenant_id: uuid().primaryKey(),
  days: integer().notNull(),
})

export const projectRetention = pgTable('project_retention', {
  project_id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  days: integer().notNull(),
})

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

/** Pieces of an exported file. */
export const bulkJobParts = pgTable('bulk_job_parts', {
  job_id: uuid().notNull(),
  /** Bytes of the pieces before it. */
  position: bigint({ mode: 'number' }).notNull(),
  blob: text().notNull(),
  bytes: bigint({ mode: 'number' }).notNull(),
})

/** Costs that a job changed, page by page. */
export const bulkJobCosts = pgTable('bulk_job_costs', {
  job_id: uuid().notNull(),
  number: integer().notNull().generatedAlwaysAsIdentity(),
  /** Cursor before the page; '' for the first. */
  position: text().notNull(),
  next: text(),
  runs: integer().notNull(),
  /** JSON of `CostChange[]`. */
  changes: text().notNull(),
  changed: integer().notNull(),
  /** Of the changed runs; null when none is known. */
  cost_before: numeric(),
  cost_after: numeric(),
})
export type CostPageRow = typeof bulkJobCosts.$inferSelect
