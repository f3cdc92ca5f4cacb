import type { CodeEvaluatorInput, EvaluatorType, LlmEvaluatorInput } from '@touchstone/contract'
import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const evaluators = pgTable('evaluators', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  type: text().$type<EvaluatorType>().notNull(),
  code_evaluator: jsonb().$type<CodeEvaluatorInput>(),
  llm_evaluator: jsonb().$type<LlmEvaluatorInput>(),
  /** JSON text as it came. */
  metadata: text(),
  /** What filters see of `metadata`. */
  metadata_index: jsonb().notNull(),
  created_by: text(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type EvaluatorRow = typeof evaluators.$inferSelect
