import { bigint, numeric, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const spendingLimits = pgTable(
  'spending_limits',
  {
    tenant_id: uuid().notNull(),
    provider_id: uuid().notNull(),
    limit_usd: numeric(),
    unpriced_call_usd: numeric(),
    updated_at: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant_id, table.provider_id] })],
)

export const spending = pgTable(
  'spending',
  {
    tenant_id: uuid().notNull(),
    month: text().notNull(),
    provider_id: uuid().notNull(),
    spent_usd: numeric().notNull(),
    calls: bigint({ mode: 'number' }).notNull(),
    unknown_calls: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant_id, table.month, table.provider_id] })],
)
