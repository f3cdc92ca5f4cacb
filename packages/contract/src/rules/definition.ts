import { z } from 'zod'
import { FeedbackKey } from '../feedback/feedback.ts'
import { Uuid } from '../wire/ids.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** Most projects of one rule. */
export const MAX_RULE_PROJECTS = 50
/** Most actions of one rule. */
export const MAX_RULE_ACTIONS = 10
/** Most rules that one rule waits for. */
export const MAX_RULES_BEFORE = 10
/** Bytes of a seed in UTF-8: with the id of a trace, as many as the hash of a sample is defined for. */
const MAX_SEED_BYTES = 28

/** Runs an evaluator of the workspace; its scores become feedback on the run. */
const EvaluateAction = z.object({
  kind: z.literal('evaluate'),
  evaluator_id: Uuid,
  /** @default the newest at the time of the run */
  version: z.int().min(1).nullish(),
})

/** Gives every run the same feedback. */
const FeedbackAction = z.object({
  kind: z.literal('feedback'),
  key: FeedbackKey,
  score: z.number().nullish(),
  /** A label. */
  value: repairedText(1000).nullish(),
  comment: repairedText(5000).nullish(),
})

/** Adds tags to the run; those that it has stay. */
const TagAction = z.object({ kind: z.literal('tag'), tags: z.array(repairedText(250).min(1)).min(1).max(20) })

/** Adds an example with the inputs and outputs of the run. */
const AddToDatasetAction = z.object({
  kind: z.literal('add_to_dataset'),
  dataset_id: Uuid,
  /** @default base */
  split: identifierText(100).min(1).nullish(),
})

/** Adds the run to a review queue. */
const AddToQueueAction = z.object({ kind: z.literal('add_to_queue'), queue_id: Uuid })

/** Most notification channels of one rule or action. */
export const MAX_RULE_CHANNELS = 20

/** Sends a notice about the run through notification channels; the body of webhooks has the run as LangSmith sends it. */
const NotifyAction = z.object({
  kind: z.literal('notify'),
  channel_ids: z.array(Uuid).min(1).max(MAX_RULE_CHANNELS),
})

/** What a rule does with a run. */
export const RuleAction = z.discriminatedUnion('kind', [
  EvaluateAction,
  FeedbackAction,
  TagAction,
  AddToDatasetAction,
  AddToQueueAction,
  NotifyAction,
])
export type RuleAction = z.output<typeof RuleAction>
export type RuleActionKind = RuleAction['kind']

/**
 * What a rule acts on.
 *
 * - `run`: a run that has ended
 * - `trace`: the root of a trace that has ended, when nothing of the trace has changed for `quiet_seconds`
 * - `thread`: the last turn of a thread, when no turn has come for `idle_minutes`; evaluators see all its turns
 * - `feedback`: a run that gets feedback, except feedback of rules
 */
export const RULE_TARGETS = ['run', 'trace', 'thread', 'feedback'] as const
export const RuleTarget = z.enum(RULE_TARGETS)
export type RuleTarget = z.infer<typeof RuleTarget>

export const RULE_OPERATORS = ['lt', 'lte', 'eq', 'gte', 'gt'] as const

/** Which feedback a rule of the target `feedback` acts on. */
export const RuleTrigger = z.object({
  key: FeedbackKey,
  /** With `score`: how the score of the feedback compares. @default any score or value */
  operator: z.enum(RULE_OPERATORS).nullish(),
  score: z.number().nullish(),
})
export type RuleTrigger = z.output<typeof RuleTrigger>

export const RULE_SPEND_WINDOWS = ['day', 'week'] as const

/** What the evaluators of a rule may spend, by calendar days or ISO weeks in UTC. */
export const RuleSpendLimit = z.object({
  limit_usd: z.number().min(0).max(1_000_000),
  window: z.enum(RULE_SPEND_WINDOWS).default('week'),
  /** Whether models without a price are called all the same; they count as 0. @default false */
  allows_unpriced: z.boolean().default(false),
})
export type RuleSpendLimit = z.output<typeof RuleSpendLimit>

const FilterText = z.string().max(100_000).nullish()

/** Which runs a rule acts on, and how. A change of it makes a new version. */
export const RuleDefinition = z
  .object({
    target: RuleTarget.default('run'),
    /** Either these, or `dataset_id`. */
    project_ids: z.array(Uuid).max(MAX_RULE_PROJECTS).default([]),
    /** The rule acts on the experiments of this dataset, also on those to come. */
    dataset_id: Uuid.nullish(),
    /** On the run itself; of the targets `trace` and `thread` on the root. @default all runs */
    filter: FilterText,
    /** On the root of its trace. */
    trace_filter: FilterText,
    /** On any run of its trace. */
    tree_filter: FilterText,
    /** Of the target `feedback`, which needs it. */
    feedback: RuleTrigger.nullish(),
    /** Seconds without a change after which a trace is ready, 0 to 3600. @default 10 */
    quiet_seconds: z.int().min(0).max(3600).default(10),
    /** Minutes without a turn after which a thread is ready, 1 to 1440. @default 10 */
    idle_minutes: z.int().min(1).max(1440).default(10),
    /**
     * Share of the matching traces, 0 to 1. It depends on the id of the trace alone, so that all runs of a trace are sampled
     * together, and a higher rate contains the traces of a lower one. Of threads: on the id of the thread. Runs of
     * experiments are never sampled out. @default 1
     */
    sampling_rate: z.number().min(0).max(1).default(1),
    /** Rules with different seeds sample different traces. @default none */
    sampling_seed: identifierText(MAX_SEED_BYTES)
      .refine((seed) => new TextEncoder().encode(seed).length <= MAX_SEED_BYTES, {
        error: `has more than ${MAX_SEED_BYTES} bytes`,
      })
      .default(''),
    /** In this order. Only a rule of a public client may have none, because it may ask for webhooks only. */
    actions: z.array(RuleAction).max(MAX_RULE_ACTIONS),
    /** The rule waits until these have decided about the same run, for at most 10 minutes. */
    after_rule_ids: z.array(Uuid).max(MAX_RULES_BEFORE).default([]),
    /** @default none */
    spend_limit: RuleSpendLimit.nullish(),
    /** Channels that get a notice when the rule is blocked, and at 80 and 100 % of its spend limit. @default none */
    notice_channel_ids: z.array(Uuid).max(MAX_RULE_CHANNELS).default([]),
  })
  .superRefine(({ target, project_ids, dataset_id, feedback }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (project_ids.length === 0 && dataset_id == null) refuse('project_ids', 'Give a project or a dataset.')
    if (project_ids.length > 0 && dataset_id != null) refuse('dataset_id', 'Give either projects or a dataset.')
    if (target === 'thread' && dataset_id != null) refuse('target', 'Experiments have no threads.')
    if (target === 'feedback' && feedback == null) refuse('feedback', 'Give the key of the feedback.')
    if (target !== 'feedback' && feedback != null) refuse('feedback', 'Only rules of the target "feedback" have it.')
    if (feedback != null && (feedback.operator == null) !== (feedback.score == null)) {
      refuse('feedback', 'Give an operator with a score, or neither.')
    }
  })
export type RuleDefinition = z.output<typeof RuleDefinition>
