import { bigint, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const projects = pgTable('projects', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text(),
  /** JSON text as it came. */
  extra: text(),
  /** What filters see of `extra.metadata`. */
  metadata: jsonb().notNull().default({}),
  reference_dataset_id: uuid(),
  default_dataset_id: uuid(),
  start_time: time().notNull(),
  end_time: time(),
  trace_tier: text(),
  /** Among the experiments of its dataset, from 1. */
  test_run_number: integer(),
  /** What an experiment announced; `evaluator_keys` is JSON. */
  num_examples: bigint({ mode: 'number' }),
  num_repetitions: bigint({ mode: 'number' }),
  evaluator_keys: text(),
})
export type ProjectRow = typeof projects.$inferSelect
