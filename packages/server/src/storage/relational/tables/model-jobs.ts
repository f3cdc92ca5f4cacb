import type { PlaygroundJobState } from '@touchstone/contract'
import { bigint, doublePrecision, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { time, version } from '../columns.ts'

/** What a job does: it calls variants for the rows of a dataset, or judges the runs of experiments. */
export type JobKind = 'variants' | 'judging'

export const modelJobs = pgTable('playground_jobs', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  kind: text().$type<JobKind>().notNull(),
  name: text().notNull(),
  state: text().$type<PlaygroundJobState>().notNull(),
  reason: text(),
  dataset_id: uuid().notNull(),
  dataset_version: version().notNull(),
  /** Examples of `variants`, runs of `judging`. */
  example_ids: uuid().array().notNull(),
  request: text().notNull(),
  summary: text().notNull(),
  total: integer().notNull(),
  max_cost_usd: doublePrecision(),
  max_seconds: doublePrecision(),
  active_ms: bigint({ mode: 'number' }).notNull().default(0),
  lease_holder: uuid(),
  lease_until: time(),
  created_at: time().notNull(),
  created_by_name: text(),
  ended_at: time(),
})
export type ModelJobRow = typeof modelJobs.$inferSelect

/** Calls of a job that ended. With `answer`, their runs are not recorded yet. */
export const modelCalls = pgTable(
  'playground_calls',
  {
    job_id: uuid().notNull(),
    number: integer().notNull(),
    tenant_id: uuid().notNull(),
    variant: smallint().notNull(),
    run_id: uuid().notNull(),
    cost: doublePrecision(),
    judge_cost: doublePrecision(),
    problem: text(),
    evaluator_error: text(),
    answer: text(),
  },
  (table) => [primaryKey({ columns: [table.job_id, table.number] })],
)
export type ModelCallRow = typeof modelCalls.$inferSelect
