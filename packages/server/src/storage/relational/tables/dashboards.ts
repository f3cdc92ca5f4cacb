import type { DashboardChart } from '@touchstone/contract'
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const dashboards = pgTable('dashboards', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  /** Null: offered in every project. */
  project_id: uuid(),
  name: text().notNull(),
  charts: jsonb().$type<DashboardChart[]>().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type DashboardRow = typeof dashboards.$inferSelect
