import type { PromptEnvironment } from '@touchstone/contract'
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const promptEnvironments = pgTable('prompt_environments', {
  tenant_id: uuid().primaryKey(),
  environments: jsonb().$type<readonly PromptEnvironment[]>().notNull(),
  updated_at: time().notNull(),
  updated_by_name: text(),
})
export type EnvironmentsRow = typeof promptEnvironments.$inferSelect
