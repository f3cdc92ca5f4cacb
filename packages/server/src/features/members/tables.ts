import type { Role } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../storage/relational/columns.ts'

export const invites = pgTable('invites', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  hash: text().notNull(),
  role: text().$type<Role>().notNull(),
  email: text(),
  created_by_name: text(),
  created_at: time().notNull(),
  expires_at: time().notNull(),
})
export type InviteRow = typeof invites.$inferSelect
