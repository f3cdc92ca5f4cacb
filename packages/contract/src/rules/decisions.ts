import { z } from 'zod'
import { RuleTarget } from './definition.ts'

/**
 * What a rule decided about a run, a trace or a thread.
 *
 * - `sampled_out`: it matches, and is not in the sample
 * - `waiting`: it has to become ready, or its turn, the pace of a provider, another rule, the next try or the end of a block
 *   has to come
 * - `limited`: the spend limit of the rule is reached; it is done in the next window, or never when it is older than a day
 *   by then
 * - `done`: every action succeeded
 */
export const RULE_STATES = ['sampled_out', 'waiting', 'running', 'limited', 'done', 'failed'] as const
export const RuleState = z.enum(RULE_STATES)
export type RuleState = z.infer<typeof RuleState>

/** What one action did. */
export const RuleActionOutcome = z.object({
  kind: z.string(),
  state: z.enum(['done', 'failed']),
  /** What failed, or what was done: feedback keys, the id of the example. */
  detail: z.string(),
  /** US dollars; null without a call, and without a price. */
  cost: z.number().nullable(),
})
export type RuleActionOutcome = z.infer<typeof RuleActionOutcome>

export const RuleDecision = z.object({
  rule_id: z.string(),
  rule_version: z.int(),
  target: RuleTarget,
  /** The run that feedback is about: of a trace its root, of a thread the root of its last turn. */
  run_id: z.string(),
  trace_id: z.string(),
  /** Of the target `thread`; else null. */
  thread_id: z.string().nullable(),
  session_id: z.string(),
  run_start_time: z.string(),
  state: RuleState,
  /** Tries so far. */
  attempts: z.int(),
  /** Uniform in [0, 1) by the id of the trace or thread; it is in the sample when this is below the rate. */
  sample_value: z.number(),
  sampling_rate: z.number(),
  outcomes: z.array(RuleActionOutcome),
  /** Sum of the outcomes; null when none has a cost. */
  cost: z.number().nullable(),
  /** Milliseconds from when it was ready to the first try; null before it, and of backfills. */
  lag_ms: z.number().nullable(),
  /** The backfill that it belongs to; null for live runs. */
  backfill_id: z.string().nullable(),
  /** Of `waiting` and `limited`: what it waits for. Of `failed`: the first action that failed. Else empty. */
  detail: z.string(),
  decided_at: z.string(),
})
export type RuleDecision = z.infer<typeof RuleDecision>

/** Windows of funnels and counts, with their hours. */
export const RULE_WINDOWS = { '1h': 1, '24h': 24, '7d': 168 } as const
export const RuleWindow = z.enum(['1h', '24h', '7d'])
export type RuleWindow = z.infer<typeof RuleWindow>

const counts = {
  sampled_out: z.int(),
  limited: z.int(),
  done: z.int(),
  failed: z.int(),
  /** US dollars of the decisions; what has no price is not in it. */
  cost: z.number(),
}

/** Decisions of a rule within a window, and what waits now. */
export const RuleCounts = z.object({
  ...counts,
  /** Now, also of earlier windows. */
  waiting: z.int(),
  /** 95th percentile of `lag_ms` of the window; null without decisions. */
  lag_p95_ms: z.number().nullable(),
})
export type RuleCounts = z.infer<typeof RuleCounts>

/** Counts of runs. Those of `seen` and `matched` are counted by the filter of the newest version. */
export const RuleFunnel = RuleCounts.extend({
  /** Runs of the projects that ended and arrived within the window; of traces their roots, of threads the threads. */
  seen: z.int(),
  /** Of them, those that match. */
  matched: z.int(),
  /** Decisions by hour, oldest first; hours without one are left out. */
  hours: z.array(
    z.object({
      /** Begin of the hour in UTC. */
      time: z.string(),
      ...counts,
    }),
  ),
})
export type RuleFunnel = z.infer<typeof RuleFunnel>

/** One condition of a rule, and whether it holds for a run. */
export const RuleClause = z.object({
  of: z.enum(['project', 'end', 'thread', 'filter', 'trace_filter', 'tree_filter', 'feedback']),
  /** As in the filter; of the others a sentence. */
  text: z.string(),
  holds: z.boolean(),
})
export type RuleClause = z.infer<typeof RuleClause>

export const RuleExplanation = z.object({
  rule_id: z.string(),
  name: z.string(),
  version: z.int(),
  is_enabled: z.boolean(),
  /** Null when the rule has not decided about the run. */
  decision: RuleDecision.nullable(),
  /** Conditions of the newest version; of traces and threads about the root of the trace. The first, about the project, alone where it does not hold. */
  clauses: z.array(RuleClause),
  /** One sentence: what was decided, or why nothing was. */
  summary: z.string(),
})
export type RuleExplanation = z.infer<typeof RuleExplanation>
