import type { Role } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

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
  /** The person it belongs to: the maker, or that of the key it was made with. Null for a key that nobody owns. */
  person_id: uuid(),
})
export type ApiKeyRow = typeof apiKeys.$inferSelect
