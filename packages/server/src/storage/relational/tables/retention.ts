import { integer, pgTable, uuid } from 'drizzle-orm/pg-core'

export const workspaceRetention = pgTable('workspace_retention', {
  tenant_id: uuid().primaryKey(),
  days: integer().notNull(),
})

export const projectRetention = pgTable('project_retention', {
  project_id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  days: integer().notNull(),
})
