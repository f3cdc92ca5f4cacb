import type { Role } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../storage/relational/columns.ts'

export const people = pgTable('people', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  email: text().notNull(),
  name: text().notNull(),
  role: text().$type<Role>().notNull(),
  password_hash: text().notNull(),
  created_at: time().notNull(),
  last_seen_at: time(),
  removed_at: time(),
})
export type PersonRow = typeof people.$inferSelect

export const signIns = pgTable('sign_ins', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  person_id: uuid().notNull(),
  hash: text().notNull(),
  user_agent: text(),
  created_at: time().notNull(),
  last_used_at: time().notNull(),
  expires_at: time().notNull(),
})
export type SignInRow = typeof signIns.$inferSelect
