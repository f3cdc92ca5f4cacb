import type { Role } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../../storage/relational/columns.ts'

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
  created_by: uuid(),
  created_by_name: text(),
})
export type ApiKeyRow = typeof apiKeys.$inferSelect
