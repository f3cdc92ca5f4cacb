import { z } from 'zod'
import { clamped, QueryFlag } from '../../wire/page.ts'

const Time = z.iso.datetime({ offset: true })

/** What the actions of one kind did; null when the rule has none. */
const LogEntry = z
  .object({ outcome: z.enum(['success', 'skipped', 'error']), payload: z.record(z.string(), z.unknown()).nullable() })
  .nullable()

/** What a rule decided about a run. Runs that did not match have none. */
const RunRuleLogShape = z.object({
  rule_id: z.string(),
  run_id: z.string(),
  run_name: z.string().nullable(),
  run_type: z.string().nullable(),
  run_session_id: z.string(),
  thread_id: z.string().nullable(),
  /** When the run was ready for the rule. */
  start_time: z.string(),
  /** When the rule had decided. */
  end_time: z.string(),
  application_time: z.string(),
  evaluators: LogEntry,
  add_to_dataset: LogEntry,
  add_to_annotation_queue: LogEntry,
  alerts: LogEntry,
  webhooks: LogEntry,
  extend_only: LogEntry,
})
type RunRuleLogFields = z.output<typeof RunRuleLogShape>
/** Named, so that types of routes stay short. */
export interface RunRuleLog extends RunRuleLogFields {}
export const RunRuleLog: z.ZodType<RunRuleLog> = RunRuleLogShape

export const RunRuleLogQuery = z.object({
  limit: clamped(1, 100, 100),
  offset: clamped(0, 100_000, 0),
  /** Of the decisions. */
  start_time: Time.optional(),
  end_time: Time.optional(),
  /** Decisions of backfills instead of live ones. */
  backfill: QueryFlag.default(false),
})
export type RunRuleLogQuery = z.output<typeof RunRuleLogQuery>
