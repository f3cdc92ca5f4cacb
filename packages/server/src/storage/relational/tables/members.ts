import type { Role } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const invites = pgTable('invites', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  hash: text().notNull(),
  role: text().$type<Role>().notNull(),
  email: text(),
  /** The person or key that made it; null for the open server. */
  created_by: uuid(),
  created_by_name: text(),
  /** The person it belongs to: the maker, or that of the key it was made with. */
  person_id: uuid(),
  created_at: time().notNull(),
  expires_at: time().notNull(),
})
export type InviteRow = typeof invites.$inferSelect
