import { z } from 'zod'

const Time = z.iso.datetime({ offset: true })

/** Most backfills of a rule that run or are paused. */
export const MAX_OPEN_BACKFILLS = 5

/** The newest version of the rule acts on runs that started within a window, newest first, beside its live runs. */
export const RuleBackfillCreate = z.object({
  from: Time,
  /** @default now */
  to: Time.nullish(),
  /** Whether runs that the rule has acted on are acted on again; its feedback is replaced. @default false */
  again: z.boolean().nullish(),
})
export type RuleBackfillCreate = z.output<typeof RuleBackfillCreate>

export const RULE_BACKFILL_STATES = ['running', 'paused', 'done', 'canceled', 'failed'] as const

export const RuleBackfill = z.object({
  id: z.string(),
  rule_id: z.string(),
  rule_version: z.int(),
  from: z.string(),
  to: z.string(),
  again: z.boolean(),
  state: z.enum(RULE_BACKFILL_STATES),
  /** Runs that matched when it began, before sampling. */
  total: z.int(),
  /** Of them, those that were looked at. */
  looked_at: z.int(),
  /** Of them, those that the rule acts on; the others are not in the sample or were done before. */
  claimed: z.int(),
  /** Of them, those whose actions are not over. */
  open: z.int(),
  /** 0 to 1. */
  progress: z.number(),
  /** Of `failed`: why. */
  error: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  finished_at: z.string().nullable(),
})
export type RuleBackfill = z.infer<typeof RuleBackfill>

/** Ended backfills do not change. */
export const RuleBackfillUpdate = z.object({ state: z.enum(['running', 'paused', 'canceled']) })
export type RuleBackfillUpdate = z.output<typeof RuleBackfillUpdate>
