import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const runShares = pgTable('run_shares', {
  tenant_id: uuid().notNull(),
  run_id: uuid().notNull(),
  trace_id: uuid().notNull(),
  session_id: uuid().notNull(),
  share_token: uuid().notNull(),
  created_at: time().notNull(),
})
export type RunShareRow = typeof runShares.$inferSelect

export const datasetShares = pgTable('dataset_shares', {
  dataset_id: uuid().notNull(),
  tenant_id: uuid().notNull(),
  share_token: uuid().notNull(),
  /** Whether the experiments of the dataset are public too. */
  shares_projects: boolean().notNull(),
  created_at: time().notNull(),
})
export type DatasetShareRow = typeof datasetShares.$inferSelect

export const threadShares = pgTable('thread_shares', {
  tenant_id: uuid().notNull(),
  session_id: uuid().notNull(),
  thread_id: text().notNull(),
  share_token: uuid().notNull(),
  created_at: time().notNull(),
})
export type ThreadShareRow = typeof threadShares.$inferSelect
