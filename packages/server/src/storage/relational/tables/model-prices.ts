import { boolean, jsonb, numeric, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const modelPrices = pgTable(
  'model_prices',
  {
    tenant_id: uuid().notNull(),
    /** That of a built-in price when it replaces or hides one. */
    id: uuid().notNull(),
    is_deleted: boolean().notNull(),
    name: text().notNull(),
    match_pattern: text().notNull(),
    match_path: text().array().notNull(),
    provider: text(),
    start_time: time(),
    prompt_cost: numeric().notNull(),
    completion_cost: numeric().notNull(),
    prompt_cost_details: jsonb().$type<Record<string, string>>(),
    completion_cost_details: jsonb().$type<Record<string, string>>(),
    created_at: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant_id, table.id] })],
)
export type ModelPriceRow = typeof modelPrices.$inferSelect
