import type { Role } from '@touchstone/contract'
import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

/** An account: one email address and one password, for any number of workspaces. */
export const people = pgTable('people', {
  id: uuid().primaryKey(),
  email: text().notNull(),
  name: text().notNull(),
  password_hash: text().notNull(),
  /** Whether the person administers the whole server, also without being an admin of any workspace. */
  is_server_admin: boolean().notNull().default(false),
  created_at: time().notNull(),
  removed_at: time(),
})
export type PersonRow = typeof people.$inferSelect

/** The workspaces of a person, with the role in each. */
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
  /** Id of the person. */
  readonly id: string
  readonly email: string
  readonly name: string
  readonly is_server_admin: boolean
}

export const signIns = pgTable('sign_ins', {
  id: uuid().primaryKey(),
  /** The workspace that this sign-in used last. */
  tenant_id: uuid().notNull(),
  person_id: uuid().notNull(),
  hash: text().notNull(),
  user_agent: text(),
  created_at: time().notNull(),
  last_used_at: time().notNull(),
  expires_at: time().notNull(),
})
export type SignInRow = typeof signIns.$inferSelect

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

export const apiKeys = pgTable('api_keys', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  hash: text().notNull(),
  short_key: text().notNull(),
  description: text().notNull(),
  role: text().$type<Role>().notNull(),
  created_at: time().notNull(),
  expires_at: time(),
  last_used_at: time(),
  revoked_at: time(),
  /** The person or key that made it; null for the open server and the command line. */
  created_by: uuid(),
  created_by_name: text(),
  /** The owner: the person who made it, or the owner of the key that made it. Null for a key without an owner. */
  person_id: uuid(),
})
export type ApiKeyRow = typeof apiKeys.$inferSelect
