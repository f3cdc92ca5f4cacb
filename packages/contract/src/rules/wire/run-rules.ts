import { z } from 'zod'
import { Uuid } from '../../wire/ids.ts'
import { JsonRecord } from '../../wire/json-record.ts'
import { identifierText, repairedText } from '../../wire/text.ts'
import { MAX_RULE_ACTIONS } from '../definition.ts'

/*
 * Rules as public LangSmith clients send and read them. They are the rules of `rules.ts`: what both know is stored once, in the
 * rule; other fields are kept and returned as they were given.
 */

/** JSON text contains characters that cannot be stored only as these escapes. */
export const isStorableJson = (value: unknown): boolean => !/\\u(0000|d[89a-f])/i.test(JSON.stringify(value) ?? '')

const FilterText = z.string().max(100_000).nullish()
const Time = z.iso.datetime({ offset: true })

/** A judge inside of a rule. */
export const StructuredEvaluator = z.looseObject({
  /** A prompt of the workspace, as `name:commit`, instead of `prompt` and `schema`. */
  hub_ref: z.string().max(1000).nullish(),
  /** Serialized chat model of LangChain. @default the first model of the only provider */
  model: JsonRecord.nullish(),
  /** Pairs of role and template. */
  prompt: z.array(z.array(z.unknown()).length(2)).min(1).max(50).nullish(),
  /** JSON Schema of the answer: a feedback key per property. */
  schema: JsonRecord.nullish(),
  template_format: z.string().max(50).nullish(),
  /** Variable → path such as `input.question`, `output` or `reference.answer`. */
  variable_mapping: z.record(identifierText(200), z.string().max(1000)).nullish(),
})
export type StructuredEvaluator = z.output<typeof StructuredEvaluator>

/** A program inside of a rule. */
export const RuleCodeEvaluator = z.looseObject({
  code: repairedText(200_000).min(1, 'is empty'),
  /** @default python */
  language: z.enum(['python', 'javascript']).nullish(),
})
export type RuleCodeEvaluator = z.output<typeof RuleCodeEvaluator>

/** Of an ISO week. */
const RunRuleSpendLimit = z.object({
  /** Decimal number as text. */
  limit_usd: z.union([
    z.string().regex(/^\d{1,7}(\.\d{1,6})?$/, 'is no amount of dollars such as "25"'),
    z.number().min(0),
  ]),
  window: z.literal('weekly').default('weekly'),
})

const Webhook = z.looseObject({
  url: z.string().min(1).max(2000),
  headers: z.record(z.string().max(200), z.string().max(10_000)).nullish(),
})
const PagerdutyAlert = z.looseObject({ routing_key: z.string().min(1).max(1000) })

const fields = {
  display_name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000).nullish(),
  /** 0 to 1. */
  sampling_rate: z.number().min(0).max(1),
  /** Either a project or a dataset. */
  session_id: Uuid.nullish(),
  dataset_id: Uuid.nullish(),
  is_enabled: z.boolean().nullish(),
  filter: FilterText,
  trace_filter: FilterText,
  tree_filter: FilterText,
  /** Whole threads are judged when no turn comes any more. */
  group_by: z.enum(['thread_id', 'trajectory_id']).nullish(),
  evaluator_id: Uuid.nullish(),
  evaluators: z
    .array(z.looseObject({ structured: StructuredEvaluator }))
    .max(MAX_RULE_ACTIONS)
    .nullish(),
  code_evaluators: z.array(RuleCodeEvaluator).max(MAX_RULE_ACTIONS).nullish(),
  add_to_dataset_id: Uuid.nullish(),
  add_to_annotation_queue_id: Uuid.nullish(),
  /** Kept; not sent yet. */
  webhooks: z.array(Webhook).max(10).nullish(),
  /** Kept; not sent yet. */
  alerts: z.array(PagerdutyAlert).max(10).nullish(),
  spend_limit: RunRuleSpendLimit.nullish(),
  /** The rule also acts on runs since then. */
  backfill_from: Time.nullish(),
}

/** Unknown fields are kept and returned. */
const RunRuleCreateShape = z.looseObject(fields).refine(isStorableJson, { error: 'holds NUL or half a surrogate pair' })
type RunRuleCreateFields = z.output<typeof RunRuleCreateShape>
/** Named, so that types of routes stay short. */
export interface RunRuleCreate extends RunRuleCreateFields {}
export const RunRuleCreate: z.ZodType<RunRuleCreate> = RunRuleCreateShape

/** Absent means unchanged; null clears. */
const RunRuleUpdateShape = z
  .looseObject({
    ...fields,
    display_name: fields.display_name.optional(),
    sampling_rate: fields.sampling_rate.optional(),
  })
  .refine(isStorableJson, { error: 'holds NUL or half a surrogate pair' })
type RunRuleUpdateFields = z.output<typeof RunRuleUpdateShape>
/** Named, so that types of routes stay short. */
export interface RunRuleUpdate extends RunRuleUpdateFields {}
export const RunRuleUpdate: z.ZodType<RunRuleUpdate> = RunRuleUpdateShape

const Text = z.string().nullable()
const Flag = z.boolean().nullable()

/** What a rule has unless something else was given. */
export const RUN_RULE_DEFAULTS = {
  transient: false,
  is_managed_evaluator: false,
  is_tracing_disabled: false,
  include_extended_stats: false,
  extend_only: false,
  use_corrections_dataset: false,
  corrections_dataset_id: null,
  num_few_shot_examples: null,
  alignment_annotation_queue_id: null,
  add_to_dataset_prefer_correction: false,
  extend_evaluator_trace_retention: false,
  extend_dataset_trace_retention: null,
  extend_annotation_queue_trace_retention: null,
  extend_webhook_trace_retention: null,
  thread_filter: null,
  webhooks: null,
  alerts: null,
  backfill_from: null,
} as const

/** Beside these: fields that were given and that the server does not know. */
const RunRuleShape = z.looseObject({
  id: z.string(),
  tenant_id: z.string(),
  display_name: z.string(),
  sampling_rate: z.number(),
  /** Number of the newest version of the rule. */
  evaluator_version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  description: z.string(),
  /** Sentences: what the server does not do although it was asked for, and why a blocked rule does not act. */
  notices: z.array(z.string()),
  /** The first project. */
  session_id: Text,
  session_name: Text,
  dataset_id: Text,
  dataset_name: Text,
  filter: Text,
  trace_filter: Text,
  tree_filter: Text,
  group_by: Text,
  is_enabled: z.boolean(),
  transient: z.boolean(),
  is_managed_evaluator: z.boolean(),
  is_tracing_disabled: z.boolean(),
  include_extended_stats: z.boolean(),
  extend_only: z.boolean(),
  /** The first evaluator. */
  evaluator_id: Text,
  evaluator_name: Text,
  /** `llm`, `code` or `decision_model`. */
  evaluator_type: Text,
  evaluators: z.array(z.object({ structured: JsonRecord })).nullable(),
  code_evaluators: z.array(JsonRecord).nullable(),
  use_corrections_dataset: z.boolean(),
  add_to_annotation_queue_id: Text,
  add_to_annotation_queue_name: Text,
  add_to_dataset_id: Text,
  add_to_dataset_name: Text,
  add_to_dataset_prefer_correction: z.boolean(),
  webhooks: z.array(JsonRecord).nullable(),
  alerts: z.array(JsonRecord).nullable(),
  extend_evaluator_trace_retention: Flag,
  extend_dataset_trace_retention: Flag,
  extend_annotation_queue_trace_retention: Flag,
  extend_webhook_trace_retention: Flag,
  backfill_from: Text,
  backfill_id: Text,
  backfill_status: Text,
  /** 0 to 1; null unless it was asked for. */
  backfill_progress: z.number().nullable(),
  backfill_completed_at: Text,
  backfill_error: Text,
  /** Null for limits of a day, which this form does not know. */
  spend_limit: z.object({ limit_usd: z.string(), window: z.string() }).nullable(),
  effective_spend_limit: z.object({ limit_usd: z.string(), window: z.string() }).nullable(),
  /** US dollars of the current ISO week. */
  spend_usd: z.number(),
  /** Traces of the current ISO week that it acted on. */
  trace_count: z.int(),
})
type RunRuleFields = z.output<typeof RunRuleShape>
/** Named, so that types of routes stay short. */
export interface RunRule extends RunRuleFields {}
export const RunRule: z.ZodType<RunRule> = RunRuleShape

/** Names of the fields of a rule that the server knows. */
export const RUN_RULE_FIELDS: readonly string[] = Object.keys(RunRuleShape.shape)
