import type { RuleBackfill, RuleBlockReason, RuleTarget } from '@touchstone/contract'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const rules = pgTable('rules', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  is_enabled: boolean().notNull(),
  version: integer().notNull(),
  /** JSON. */
  definition: text().notNull(),
  project_ids: uuid().array().notNull(),
  dataset_id: uuid(),
  /** Runs up to this version of the column store were looked at; microseconds. */
  looked_to: bigint({ mode: 'number' }).notNull(),
  /** Runs before this version are not looked at: they were written before the rule was made or resumed. */
  looks_since: bigint({ mode: 'number' }).notNull().default(0),
  looked_at: time(),
  looker: uuid(),
  looker_until: time(),
  failures: integer().notNull().default(0),
  blocked_reason: text().$type<RuleBlockReason>(),
  blocked_message: text(),
  blocked_at: time(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
  created_by: text(),
})
export type RuleRow = typeof rules.$inferSelect

export const ruleVersions = pgTable(
  'rule_versions',
  {
    rule_id: uuid().notNull(),
    version: integer().notNull(),
    tenant_id: uuid().notNull(),
    /** JSON. */
    definition: text().notNull(),
    created_at: time().notNull(),
    created_by: text(),
  },
  ({ rule_id, version }) => [primaryKey({ columns: [rule_id, version] })],
)

/**
 * A claim with an empty `target_version` waits for its trace or thread to become ready. `due_at` is when a waiting claim may begin, and when the lease of a running one ends.
 */
export const ruleClaims = pgTable(
  'rule_claims',
  {
    rule_id: uuid().notNull(),
    target_id: uuid().notNull(),
    target_version: text().notNull(),
    tenant_id: uuid().notNull(),
    rule_version: integer().notNull(),
    trace_id: uuid().notNull(),
    session_id: uuid().notNull(),
    start_time: time().notNull(),
    sample_value: doublePrecision().notNull(),
    state: text().$type<'waiting' | 'running' | 'limited' | 'done' | 'failed'>().notNull(),
    attempts: integer().notNull().default(0),
    due_at: time().notNull(),
    /** JSON list of `RuleActionOutcome`. */
    outcomes: text().notNull().default('[]'),
    detail: text().notNull().default(''),
    decided_at: time().notNull(),
    /** Whether the decision is in the column store. */
    is_noted: boolean().notNull().default(false),
    target: text().$type<RuleTarget>().notNull().default('run'),
    /** Whom feedback is about. */
    run_id: uuid().notNull(),
    /** Of the target `thread`; else ''. */
    thread_id: text().notNull().default(''),
    ready_at: time().notNull(),
    /** Milliseconds from `ready_at` to the first try. */
    lag_ms: integer(),
    /** It waits for the next window of the spend limit. */
    is_limited: boolean().notNull().default(false),
    /** It is acted on although it was before. */
    is_again: boolean().notNull().default(false),
    backfill_id: uuid(),
  },
  ({ rule_id, target_id, target_version }) => [primaryKey({ columns: [rule_id, target_id, target_version] })],
)
export type RuleClaimRow = typeof ruleClaims.$inferSelect

export const ruleSpend = pgTable(
  'rule_spend',
  {
    rule_id: uuid().notNull(),
    /** In UTC, as YYYY-MM-DD. */
    day: date().notNull(),
    tenant_id: uuid().notNull(),
    spent_usd: numeric().notNull(),
    calls: integer().notNull(),
    unpriced_calls: integer().notNull(),
  },
  ({ rule_id, day }) => [primaryKey({ columns: [rule_id, day] })],
)

export const ruleBackfills = pgTable('rule_backfills', {
  id: uuid().primaryKey(),
  rule_id: uuid().notNull(),
  rule_version: integer().notNull(),
  tenant_id: uuid().notNull(),
  from_time: time().notNull(),
  to_time: time().notNull(),
  again: boolean().notNull(),
  state: text().$type<RuleBackfill['state']>().notNull(),
  total: integer().notNull(),
  looked_at: integer().notNull().default(0),
  claimed: integer().notNull().default(0),
  cursor_time: time(),
  cursor_id: uuid(),
  error: text(),
  created_at: time().notNull(),
  created_by: text(),
  finished_at: time(),
})
export type RuleBackfillRow = typeof ruleBackfills.$inferSelect

/** What public clients say of a rule beside what it is. */
export const runRuleFields = pgTable('run_rule_fields', {
  rule_id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  /** JSON of `KeptFields`. */
  fields: text().notNull(),
  /** JSON of `KeptSecrets`, sealed for the rule. */
  sealed: text(),
})
