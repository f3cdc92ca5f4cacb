import type { RunViewState } from '@touchstone/contract'
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const savedViews = pgTable('saved_views', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  project_id: uuid(),
  /** Who alone sees it (`identityOf`); null when it is shared. */
  owner_id: text(),
  name: text().notNull(),
  state: jsonb().$type<RunViewState>().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type SavedViewRow = typeof savedViews.$inferSelect
