import type { EvaluatorKind } from '@touchstone/contract'
import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const savedEvaluators = pgTable('saved_evaluators', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  kind: text().$type<EvaluatorKind>().notNull(),
  version: integer().notNull(),
  keys: text().array().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
  created_by: text(),
})
export type SavedEvaluatorRow = typeof savedEvaluators.$inferSelect

export const savedEvaluatorVersions = pgTable(
  'saved_evaluator_versions',
  {
    evaluator_id: uuid().notNull(),
    version: integer().notNull(),
    /** JSON. */
    definition: text().notNull(),
    note: text().notNull(),
    created_at: time().notNull(),
    created_by: text(),
  },
  ({ evaluator_id, version }) => [primaryKey({ columns: [evaluator_id, version] })],
)
export type SavedEvaluatorVersionRow = typeof savedEvaluatorVersions.$inferSelect
