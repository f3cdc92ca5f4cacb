import type { CodeEvaluatorInput, EvaluatorType, FeedbackConfig, LlmEvaluatorInput } from '@touchstone/contract'
import { boolean, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const feedbackConfigs = pgTable('feedback_configs', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  feedback_key: text().notNull(),
  config: jsonb().$type<FeedbackConfig>().notNull(),
  is_lower_score_better: boolean().notNull(),
  is_enforced: boolean().notNull(),
  is_first: boolean().notNull(),
  modified_at: time().notNull(),
  deleted_at: time(),
})
export type FeedbackConfigRow = typeof feedbackConfigs.$inferSelect

export const feedbackTokens = pgTable('feedback_tokens', {
  token: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  run_id: uuid().notNull(),
  feedback_key: text().notNull(),
  feedback_id: uuid().notNull(),
  created_at: time().notNull(),
  expires_at: time().notNull(),
})
export type FeedbackTokenRow = typeof feedbackTokens.$inferSelect

export const evaluators = pgTable('evaluators', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  type: text().$type<EvaluatorType>().notNull(),
  code_evaluator: jsonb().$type<CodeEvaluatorInput>(),
  llm_evaluator: jsonb().$type<LlmEvaluatorInput>(),
  /** JSON text as received. */
  metadata: text(),
  /** Copy of `metadata` for filters. */
  metadata_index: jsonb().notNull(),
  created_by: text(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type EvaluatorRow = typeof evaluators.$inferSelect
