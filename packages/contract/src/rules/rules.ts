import { z } from 'zod'
import { FeedbackKey } from '../feedback/feedback.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** Most rules of a workspace. */
export const MAX_RULES = 200
/** Most projects of one rule. */
export const MAX_RULE_PROJECTS = 50
/** Most actions of one rule. */
export const MAX_RULE_ACTIONS = 10
/** Bytes of a seed in UTF-8: with the id of a trace, as many as the hash of a sample is defined for. */
const MAX_SEED_BYTES = 28
/** Most versions of one rule. */
export const MAX_RULE_VERSIONS = 1000

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

/** Adds an example with the inputs and outputs of the run. */
const AddToDatasetAction = z.object({
  kind: z.literal('add_to_dataset'),
  dataset_id: Uuid,
  /** @default base */
  split: identifierText(100).min(1).nullish(),
})

/** Adds the run to a review queue. */
const AddToQueueAction = z.object({ kind: z.literal('add_to_queue'), queue_id: Uuid })

/** What a rule does with a run. */
export const RuleAction = z.discriminatedUnion('kind', [
  EvaluateAction,
  FeedbackAction,
  AddToDatasetAction,
  AddToQueueAction,
])
export type RuleAction = z.output<typeof RuleAction>
export type RuleActionKind = RuleAction['kind']

const FilterText = z.string().max(100_000).nullish()

/** Which runs a rule acts on, and how. A change of it makes a new version. */
export const RuleDefinition = z.object({
  project_ids: z.array(Uuid).min(1).max(MAX_RULE_PROJECTS),
  /** On the run itself. @default all runs */
  filter: FilterText,
  /** On the root of its trace. */
  trace_filter: FilterText,
  /** On any run of its trace. */
  tree_filter: FilterText,
  /**
   * Share of the matching traces, 0 to 1. It depends on the id of the trace alone, so that all runs of a trace are sampled
   * together, and a higher rate contains the traces of a lower one. @default 1
   */
  sampling_rate: z.number().min(0).max(1).default(1),
  /** Rules with different seeds sample different traces. @default none */
  sampling_seed: identifierText(MAX_SEED_BYTES)
    .refine((seed) => new TextEncoder().encode(seed).length <= MAX_SEED_BYTES, {
      error: `has more than ${MAX_SEED_BYTES} bytes`,
    })
    .default(''),
  /** In this order. */
  actions: z.array(RuleAction).min(1).max(MAX_RULE_ACTIONS),
})
export type RuleDefinition = z.output<typeof RuleDefinition>

/** Why a rule does not act until a user changes something. */
export const RULE_BLOCKS = [
  'provider_missing',
  'provider_key_refused',
  'model_unknown',
  'spending_limit',
  'evaluator_missing',
  'target_missing',
  'mapping_invalid',
  'filter_invalid',
  'too_many_failures',
] as const
export const RuleBlockReason = z.enum(RULE_BLOCKS)
export type RuleBlockReason = z.infer<typeof RuleBlockReason>

export const Rule = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Unique in the workspace. */
  name: z.string(),
  description: z.string(),
  is_enabled: z.boolean(),
  /** Number of the newest version; versions count from 1. */
  version: z.int(),
  /** Of the newest version. */
  definition: RuleDefinition,
  /** Null while the rule acts. What waits is done when the block ends. */
  blocked: z
    .object({
      reason: RuleBlockReason,
      /** What failed and how to mend it. */
      message: z.string(),
      since: z.string(),
    })
    .nullable(),
  /** When the rule last looked for runs; null before the first time. */
  looked_at: z.string().nullable(),
  created_at: z.string(),
  /** Of the newest version, or of the change of its name or state. */
  modified_at: z.string(),
  /** Name of the user or key that created it; null on an open server. */
  created_by: z.string().nullable(),
})
export type Rule = z.infer<typeof Rule>

/** A version never changes. */
export const RuleVersion = z.object({
  rule_id: z.string(),
  version: z.int(),
  definition: RuleDefinition,
  created_at: z.string(),
  created_by: z.string().nullable(),
})
export type RuleVersion = z.infer<typeof RuleVersion>

const fields = {
  name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000),
}

export const RuleCreate = z.object({
  name: fields.name,
  description: fields.description.nullish(),
  /** @default true */
  is_enabled: z.boolean().nullish(),
  definition: RuleDefinition,
})
export type RuleCreate = z.output<typeof RuleCreate>

/** Absent and null mean unchanged. */
export const RuleUpdate = z.object({
  name: fields.name.nullish(),
  description: fields.description.nullish(),
  /** True also ends a block: the rule tries again. */
  is_enabled: z.boolean().nullish(),
  /** Makes a new version. Runs that an earlier version looked at are not looked at again. */
  definition: RuleDefinition.nullish(),
  /** The newest version that the change is based on; another newest version is refused with 409. */
  expected_version: z.int().min(1).nullish(),
})
export type RuleUpdate = z.output<typeof RuleUpdate>

/**
 * What a rule decided about a run. `sampled_out`: it matches, and is not in the sample. `waiting`: its turn, the pace of a
 * provider, the next try or the end of a block has to come. `done`: every action succeeded.
 */
export const RULE_STATES = ['sampled_out', 'waiting', 'running', 'done', 'failed'] as const
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
  run_id: z.string(),
  trace_id: z.string(),
  session_id: z.string(),
  run_start_time: z.string(),
  state: RuleState,
  /** Tries so far. */
  attempts: z.int(),
  /** Uniform in [0, 1) by the id of the trace; the run is in the sample when it is below the rate. */
  sample_value: z.number(),
  sampling_rate: z.number(),
  outcomes: z.array(RuleActionOutcome),
  /** Sum of the outcomes; null when none has a cost. */
  cost: z.number().nullable(),
  /** Of `waiting`: what it waits for. Of `failed`: the first action that failed. Else empty. */
  detail: z.string(),
  decided_at: z.string(),
})
export type RuleDecision = z.infer<typeof RuleDecision>

/** Windows of the funnel, with their hours. */
export const RULE_WINDOWS = { '1h': 1, '24h': 24, '7d': 168 } as const

/** Counts of runs. Those of `seen` and `matched` are counted by the filter of the newest version. */
export const RuleFunnel = z.object({
  /** Runs of the projects that ended and arrived within the window. */
  seen: z.int(),
  /** Of them, those that match. */
  matched: z.int(),
  sampled_out: z.int(),
  waiting: z.int(),
  done: z.int(),
  failed: z.int(),
  /** US dollars of the decisions of the window. */
  cost: z.number(),
})
export type RuleFunnel = z.infer<typeof RuleFunnel>

/** One condition of a rule, and whether it holds for a run. */
export const RuleClause = z.object({
  of: z.enum(['project', 'end', 'filter', 'trace_filter', 'tree_filter']),
  /** As in the filter; of `project` and `end` a sentence. */
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
  /** Conditions of the newest version. */
  clauses: z.array(RuleClause),
  /** One sentence: what was decided, or why nothing was. */
  summary: z.string(),
})
export type RuleExplanation = z.infer<typeof RuleExplanation>

const tag = 'rules'
const extension = true
const params = z.object({ rule_id: Uuid })

export const ruleRoutes = describeRoutes(routes.rules, tag, {
  list: {
    extension,
    summary: 'Rules of the workspace, by name',
    query: z.object({
      /** Rules that look at this project. */
      project_id: Uuid.optional(),
      /** Part of the name or the description. */
      search: z.string().max(1000).optional(),
      ...strictPage,
    }),
    answer: z.object({ rules: z.array(Rule), total: z.int() }),
  },
  create: {
    extension,
    summary: 'Create a rule; 409 for a name that is taken. It looks at runs that arrive from now on',
    body: RuleCreate,
    status: 201,
    answer: Rule,
  },
  read: { extension, summary: 'One rule', params, answer: Rule },
  update: {
    extension,
    summary: 'Change a rule, pause it, or let it act again',
    params,
    body: RuleUpdate,
    answer: Rule,
  },
  delete: {
    extension,
    summary: 'Delete a rule with its decisions; what it did stays',
    params,
    status: 204,
  },
  listVersions: {
    extension,
    summary: 'Versions of a rule, newest first',
    params,
    query: z.object(historyPage),
    answer: z.object({ versions: z.array(RuleVersion), total: z.int() }),
  },
  listDecisions: {
    extension,
    summary: 'What a rule decided about runs, newest first; decisions are kept for 90 days',
    params,
    query: z.object({
      state: RuleState.optional(),
      limit: strictPage.limit,
      /** Of the page before. */
      cursor: z.string().max(200).optional(),
    }),
    answer: z.object({ decisions: z.array(RuleDecision), next_cursor: z.string().nullable() }),
  },
  funnel: {
    extension,
    summary: 'Runs that a rule saw, matched, sampled and acted on',
    params,
    query: z.object({ window: z.enum(['1h', '24h', '7d']).default('24h') }),
    answer: RuleFunnel,
  },
  explain: {
    extension,
    summary: 'What each rule decided about a run, and by which condition',
    params: z.object({ run_id: Uuid }),
    answer: z.object({ rules: z.array(RuleExplanation) }),
  },
})
