import type { Role } from '@touchstone/contract'
import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

/** An account: one e-mail address and one password, whatever the workspaces. */
export const people = pgTable('people', {
  id: uuid().primaryKey(),
  email: text().notNull(),
  name: text().notNull(),
  password_hash: text().notNull(),
  /** Whether they administer the whole server, also without being an admin of any workspace. */
  is_server_admin: boolean().notNull().default(false),
  created_at: time().notNull(),
  removed_at: time(),
})
export type PersonRow = typeof people.$inferSelect

/** Which workspaces a person belongs to, and as what. */
export const memberships = pgTable('memberships', {
  person_id: uuid().notNull(),
  tenant_id: uuid().notNull(),
  role: text().$type<Role>().notNull(),
  created_at: time().notNull(),
  last_seen_at: time(),
  removed_at: time(),
})
export type MembershipRow = typeof memberships.$inferSelect

/** A person in one workspace. */
export interface MemberRow extends Pick<MembershipRow, 'tenant_id' | 'role' | 'created_at' | 'last_seen_at'> {
  /** Of the person. */
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_server_admin: boolean
}

export const signIns = pgTable('sign_ins', {
  id: uuid().primaryKey(),
  /** The workspace that was used last by this sign-in. */
  tenant_id: uuid().notNull(),
  person_id: uuid().notNull(),
  hash: text().notNull(),
  user_agent: text(),
  created_at: time().notNull(),
  last_used_at: time().notNull(),
  expires_at: time().notNull(),
})
export type SignInRow = typeof signIns.$inferSelect
