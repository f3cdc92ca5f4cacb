import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../storage/relational/columns.ts'

export const workspaces = pgTable('workspaces', {
  id: uuid().primaryKey(),
  organization_id: uuid().notNull(),
  display_name: text().notNull(),
  tenant_handle: text(),
  created_at: time().notNull(),
  is_default: boolean().notNull(),
})
export type WorkspaceRow = typeof workspaces.$inferSelect
