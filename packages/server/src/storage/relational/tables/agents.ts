import type { AgentEnvironmentName } from '@touchstone/contract'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const agents = pgTable('agents', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  /** As addresses name it, unique in its workspace. */
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
  /** Null once the project was deleted, until the next trace arrives. */
  session_id: uuid(),
})
