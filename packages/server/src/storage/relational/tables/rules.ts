import type { RuleBlockReason } from '@touchstone/contract'
import { bigint, boolean, doublePrecision, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
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
  /** Runs up to this version of the column store were looked at; microseconds. */
  looked_to: bigint({ mode: 'number' }).notNull(),
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

/** `due_at` is when a waiting claim may begin, and when the lease of a running one ends. */
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
    state: text().$type<'waiting' | 'running' | 'done' | 'failed'>().notNull(),
    attempts: integer().notNull().default(0),
    due_at: time().notNull(),
    /** JSON list of `RuleActionOutcome`. */
    outcomes: text().notNull().default('[]'),
    detail: text().notNull().default(''),
    decided_at: time().notNull(),
    /** Whether the decision is in the column store. */
    is_noted: boolean().notNull().default(false),
  },
  ({ rule_id, target_id, target_version }) => [primaryKey({ columns: [rule_id, target_id, target_version] })],
)
export type RuleClaimRow = typeof ruleClaims.$inferSelect
