import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const workspaces = pgTable('workspaces', {
  id: uuid().primaryKey(),
  organization_id: uuid().notNull(),
  display_name: text().notNull(),
  tenant_handle: text(),
  created_at: time().notNull(),
  is_default: boolean().notNull(),
  /** Once it is deleted, its row remains until nothing can be stored in it any more. */
  deleted_at: time(),
  /** Of the record of its deletion. */
  deletion_id: uuid(),
  /** When nothing was left of a deleted one. */
  purged_at: time(),
})
export type WorkspaceRow = typeof workspaces.$inferSelect
