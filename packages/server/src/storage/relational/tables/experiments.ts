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
