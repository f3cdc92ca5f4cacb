import type { KeyHeader, ModelProviderKind } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const modelProviders = pgTable('model_providers', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  kind: text().$type<ModelProviderKind>().notNull(),
  base_url: text().notNull(),
  key_header: text().$type<KeyHeader>().notNull(),
  provider: text(),
  models: text().array().notNull(),
  sealed_key: text(),
  key_last_four: text(),
  /** JSON. */
  sealed_headers: text(),
  key_id: text(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type ModelProviderRow = typeof modelProviders.$inferSelect
