import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const viewOverrides = pgTable('experiment_view_overrides', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  /** JSON. */
  column_overrides: text().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type ViewOverrideRow = typeof viewOverrides.$inferSelect

export const comparativeExperiments = pgTable('comparative_experiments', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  reference_dataset_id: uuid().notNull(),
  experiment_ids: uuid().array().notNull(),
  name: text(),
  description: text(),
  /** JSON text as it came. */
  extra: text(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type ComparativeRow = typeof comparativeExperiments.$inferSelect
