import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const playgroundDrafts = pgTable('playground_drafts', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  body: text().notNull(),
  version: integer().notNull(),
  created_at: time().notNull(),
  created_by_name: text(),
  updated_at: time().notNull(),
  updated_by_name: text(),
})
export type PlaygroundDraftRow = typeof playgroundDrafts.$inferSelect
