import { z } from 'zod'
import { Uuid } from '../wire/ids.ts'
import { RuleActionOutcome } from './decisions.ts'
import { RuleDefinition } from './definition.ts'

const Time = z.iso.datetime({ offset: true })

/** A window of runs by their start, at most 400 days. */
const window = {
  /** @default a day before `to` */
  from: Time.nullish(),
  /** @default now */
  to: Time.nullish(),
}

/** What a definition would do; nothing is stored, and no model is called. */
export const RuleDryRun = z.object({ definition: RuleDefinition, ...window })
export type RuleDryRun = z.output<typeof RuleDryRun>

const RunReference = z.object({
  run_id: z.string(),
  trace_id: z.string(),
  session_id: z.string(),
  name: z.string(),
  start_time: z.string(),
})

/** What a definition would have done within a window, counted with the conditions that rules and backfills use. */
export const RuleForecast = z.object({
  from: z.string(),
  to: z.string(),
  /** Runs of the projects that ended; of traces the roots, of threads the threads. */
  seen: z.int(),
  matched: z.int(),
  /** Of the matched ones in the sample; derived from the first 10,000 when there are more. */
  sampled: z.int(),
  is_sampled_derived: z.boolean(),
  /** The newest ones of the sample, at most five. */
  samples: z.array(RunReference),
  estimate: z.object({
    /** Calls of models. */
    calls: z.int(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    /** US dollars; null when a model has no price. */
    cost: z.number().nullable(),
    /** The same for a week; null without a price. */
    cost_per_week: z.number().nullable(),
  }),
})
export type RuleForecast = z.infer<typeof RuleForecast>

/** Most runs that a definition is tried on. */
export const MAX_RULE_TRIES = 10

/** Evaluators of a definition are run on some runs; scores are returned, and nothing is stored. */
export const RuleTry = z.object({
  definition: RuleDefinition,
  /** @default the newest ones that match and are in the sample */
  run_ids: z.array(Uuid).min(1).max(MAX_RULE_TRIES).nullish(),
  count: z.int().min(1).max(MAX_RULE_TRIES).default(MAX_RULE_TRIES),
  ...window,
})
export type RuleTry = z.output<typeof RuleTry>

export const RuleTryResult = z.object({
  runs: z.array(
    RunReference.extend({
      /** Of each action in its order. Actions that store something say what they would do. */
      outcomes: z.array(
        RuleActionOutcome.extend({
          scores: z.array(
            z.object({
              key: z.string(),
              score: z.number().nullable(),
              value: z.unknown(),
              comment: z.string().nullable(),
            }),
          ),
        }),
      ),
    }),
  ),
  /** US dollars that the calls have cost; null when none has a price. */
  cost: z.number().nullable(),
})
export type RuleTryResult = z.infer<typeof RuleTryResult>
