import type { AgentEnvironmentName, DashboardChart, RunViewState } from '@touchstone/contract'
import { bigint, boolean, integer, jsonb, numeric, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const projects = pgTable('projects', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text(),
  /** JSON text as received. */
  extra: text(),
  /** Copy of `extra.metadata` for filters. */
  metadata: jsonb().notNull().default({}),
  reference_dataset_id: uuid(),
  default_dataset_id: uuid(),
  start_time: time().notNull(),
  end_time: time(),
  trace_tier: text(),
  /** Number among the experiments of its dataset, from 1. */
  test_run_number: integer(),
  /** Announced size of an experiment; `evaluator_keys` is JSON. */
  num_examples: bigint({ mode: 'number' }),
  num_repetitions: bigint({ mode: 'number' }),
  evaluator_keys: text(),
})
export type ProjectRow = typeof projects.$inferSelect

export const agents = pgTable('agents', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  /** Its name in addresses, unique in its workspace. */
  agent_id: text().notNull(),
  name: text().notNull(),
  agent_type: text().notNull(),
  source_type: text().notNull(),
  owner_id: text(),
  created_at: time().notNull(),
})
export type AgentRow = typeof agents.$inferSelect

export const agentEnvironments = pgTable('agent_environments', {
  id: uuid().primaryKey(),
  agent_uuid: uuid().notNull(),
  environment: text().$type<AgentEnvironmentName>().notNull(),
  /** Null after the project was deleted, until the next trace arrives. */
  session_id: uuid(),
})

export const savedViews = pgTable('saved_views', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  project_id: uuid(),
  /** Identity of its owner (`identityOf`); null when it is shared. */
  owner_id: text(),
  name: text().notNull(),
  state: jsonb().$type<RunViewState>().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type SavedViewRow = typeof savedViews.$inferSelect

export const modelPrices = pgTable(
  'model_prices',
  {
    tenant_id: uuid().notNull(),
    /** The id of the built-in price that it replaces or hides, or a new one. */
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

export const dashboards = pgTable('dashboards', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  /** Null: offered in every project. */
  project_id: uuid(),
  name: text().notNull(),
  charts: jsonb().$type<DashboardChart[]>().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type DashboardRow = typeof dashboards.$inferSelect
