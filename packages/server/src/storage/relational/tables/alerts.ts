import type { AlertFiringState, AlertState, BudgetPeriod } from '@touchstone/contract'
import { bigint, boolean, doublePrecision, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const alerts = pgTable('alerts', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  is_enabled: boolean().notNull(),
  mute_until: time(),
  version: integer().notNull(),
  /** JSON. */
  definition: text().notNull(),
  project_ids: uuid().array().notNull(),
  /** JSON: rule and actions as LangSmith's routes wrote them, without secrets. */
  platform: text(),
  action_channel_ids: uuid().array().notNull(),
  watched_since: time().notNull(),
  state: text().$type<AlertState>().notNull(),
  state_since: time(),
  /** JSON: the state machine. */
  progress: text().notNull(),
  broken_reason: text(),
  notice: text(),
  episode: integer(),
  /** JSON. */
  last_point: text(),
  /** End of the last window that was evaluated; seconds since 1970. */
  evaluated_to: bigint({ mode: 'number' }).notNull(),
  evaluated_at: time(),
  due_at: time().notNull(),
  evaluator: uuid(),
  evaluator_until: time(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
  created_by: text(),
})
export type AlertRow = typeof alerts.$inferSelect

export const alertVersions = pgTable(
  'alert_versions',
  {
    alert_id: uuid().notNull(),
    version: integer().notNull(),
    tenant_id: uuid().notNull(),
    /** JSON. */
    definition: text().notNull(),
    created_at: time().notNull(),
    created_by: text(),
  },
  ({ alert_id, version }) => [primaryKey({ columns: [alert_id, version] })],
)

export const alertEpisodes = pgTable(
  'alert_episodes',
  {
    alert_id: uuid().notNull(),
    number: integer().notNull(),
    tenant_id: uuid().notNull(),
    alert_version: integer().notNull(),
    state: text().$type<AlertFiringState>().notNull(),
    started_at: time().notNull(),
    ended_at: time(),
    peak: doublePrecision(),
    peak_at: time(),
    peak_group: text(),
    /** JSON list of the groups at the peak. */
    peak_groups: text().notNull().default('[]'),
    /** JSON list. */
    notices: text().notNull().default('[]'),
    acknowledged_by: text(),
    acknowledged_at: time(),
  },
  ({ alert_id, number }) => [primaryKey({ columns: [alert_id, number] })],
)
export type AlertEpisodeRow = typeof alertEpisodes.$inferSelect

export const budgets = pgTable('budgets', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  is_enabled: boolean().notNull(),
  /** JSON. */
  scope: text().notNull(),
  project_id: uuid(),
  period: text().$type<BudgetPeriod>().notNull(),
  time_zone: text().notNull(),
  amount_usd: doublePrecision().notNull(),
  channel_ids: uuid().array().notNull(),
  /** JSON. */
  current_spend: text(),
  /** JSON: what was notified of which period. */
  notified: text().notNull(),
  due_at: time().notNull(),
  evaluator: uuid(),
  evaluator_until: time(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
  created_by: text(),
})
export type BudgetRow = typeof budgets.$inferSelect
