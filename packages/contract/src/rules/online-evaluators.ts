import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { clamped, offsetPage, QueryFlag, queryList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** Kinds of evaluators: a model with a prompt, a program, or a model that answers questions. */
export const EVALUATOR_TYPES = ['llm', 'code', 'decision_model'] as const
export const EvaluatorType = z.enum(EVALUATOR_TYPES)
export type EvaluatorType = z.infer<typeof EvaluatorType>

/** Characters of a program and of its dependencies. */
export const MAX_EVALUATOR_CODE = 200_000

/** JSON text contains characters that cannot be stored only as these escapes. */
const isStorableJson = (value: unknown) => !/\\u(0000|d[89a-f])/i.test(JSON.stringify(value) ?? '')
const json = (most: number) =>
  JsonRecord.refine((value) => JSON.stringify(value).length <= most, { error: `has more than ${most} characters` })
const Name = repairedText(255).trim().min(1, 'is empty')
const Metadata = json(64 * 1024)

/** Parts of a thread that the program gets; null for an evaluator of runs. */
const CodeInput = z.enum(['thread', 'all_messages', 'human_ai_pairs', 'first_human_last_ai', 'trajectory'])

const codeFields = {
  code: repairedText(MAX_EVALUATOR_CODE).nullish(),
  /** @default python */
  language: identifierText(50).nullish(),
  dependencies: repairedText(20_000).nullish(),
  code_evaluator_input: CodeInput.nullish(),
  /** Whether the program gets URLs of the run's attachments. */
  require_attachments: z.boolean().nullish(),
  advanced_features_enabled: z.boolean().nullish(),
  /** Names of secrets of the workspace. */
  workspace_secrets_keys: z.array(identifierText(255)).max(100).nullish(),
  managed_code_evaluator_key: z.literal('voice_metrics').nullish(),
  managed_code_evaluator_settings: z
    .record(
      identifierText(255),
      z.object({ is_enabled: z.boolean().nullish(), key_name: identifierText(255).nullish() }),
    )
    .refine((settings) => Object.keys(settings).length <= 100, { error: 'has more than 100 settings' })
    .nullish(),
}

const llmFields = {
  prompt_repo_handle: identifierText(255).nullish(),
  commit_hash_or_tag: identifierText(255).nullish(),
  playground_settings_id: identifierText(255).nullish(),
  num_few_shot_examples: z.int().min(0).max(100).nullish(),
  use_corrections_dataset: z.boolean().nullish(),
  /** Variable of the prompt → path of its value in the run. */
  variable_mapping: json(64 * 1024)
    .refine(isStorableJson, { error: 'holds NUL or half a surrogate pair' })
    .nullish(),
}

export const CodeEvaluatorInput = z.object(codeFields)
export type CodeEvaluatorInput = z.output<typeof CodeEvaluatorInput>
export const LlmEvaluatorInput = z.object(llmFields)
export type LlmEvaluatorInput = z.output<typeof LlmEvaluatorInput>

/** A rule that runs an evaluator. */
const EvaluatorRunRuleShape = z.object({
  id: z.string(),
  /** The first project. */
  session_id: z.string().nullable(),
  session_name: z.string().nullable(),
  dataset_id: z.string().nullable(),
  dataset_name: z.string().nullable(),
  group_by: z.string().nullable(),
  corrections_dataset_id: z.string().nullable(),
  use_corrections_dataset: z.boolean(),
  num_few_shot_examples: z.int().nullable(),
  /** Of a week; null without one. */
  spend_limit: z.object({ limit_usd: z.number(), window: z.string(), utilization_pct: z.number() }).nullable(),
  /** US dollars of the current ISO week; absent for programs, which cost nothing. */
  spend_usd: z.number().optional(),
  /** Traces of the current ISO week. */
  trace_count: z.int(),
})
type EvaluatorRunRuleFields = z.output<typeof EvaluatorRunRuleShape>
/** Named, so that types of routes stay short. */
export interface EvaluatorRunRule extends EvaluatorRunRuleFields {}
export const EvaluatorRunRule: z.ZodType<EvaluatorRunRule> = EvaluatorRunRuleShape

/** A program with the state of its build. This server builds nothing, so the build fields are null. */
export const CodeEvaluator = z.object({
  ...codeFields,
  evaluator_id: z.string(),
  evaluator_build_status: z.enum(['ENQUEUED', 'BUILDING', 'READY', 'FAILED']).nullable(),
  evaluator_build_error: z.string().nullable(),
})
export type CodeEvaluator = z.infer<typeof CodeEvaluator>

export const LlmEvaluator = z.object({ ...llmFields, evaluator_id: z.string() })
export type LlmEvaluator = z.infer<typeof LlmEvaluator>

/** An evaluator of the workspace, for several projects and datasets. */
export const Evaluator = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  type: EvaluatorType,
  /** Present for `code`. */
  code_evaluator: CodeEvaluator.nullable(),
  /** Present for `llm`. */
  llm_evaluator: LlmEvaluator.nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  /** Keys of its feedback, as far as the definition contains them. */
  feedback_keys: z.array(z.string()),
  /** Rules that run it. */
  run_rules: z.array(EvaluatorRunRule),
  is_managed: z.boolean(),
  created_by: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Evaluator = z.infer<typeof Evaluator>

/** Exactly the definition of the type is required. */
const definition = { code: 'code_evaluator', llm: 'llm_evaluator', decision_model: undefined } as const

export const EvaluatorCreate = z
  .object({
    name: Name,
    type: EvaluatorType,
    code_evaluator: CodeEvaluatorInput.nullish(),
    llm_evaluator: LlmEvaluatorInput.nullish(),
    metadata: Metadata.nullish(),
  })
  .superRefine((given, context) => {
    for (const member of ['code_evaluator', 'llm_evaluator'] as const) {
      const isWanted = definition[given.type] === member
      if (isWanted === (given[member] != null)) continue
      const message = isWanted ? 'is required' : `is not for an evaluator of type ${given.type}`
      context.addIssue({ code: 'custom', path: [member], message })
    }
  })
export type EvaluatorCreate = z.output<typeof EvaluatorCreate>

/** Omitted fields stay unchanged; null clears `metadata`, `dependencies` and `code_evaluator_input`. */
export const EvaluatorUpdate = z.object({
  name: Name.nullish(),
  code_evaluator: CodeEvaluatorInput.nullish(),
  llm_evaluator: LlmEvaluatorInput.nullish(),
  metadata: Metadata.nullish(),
})
export type EvaluatorUpdate = z.output<typeof EvaluatorUpdate>

export const EvaluatorListQuery = z.object({
  type: EvaluatorType.optional(),
  /** Part of its name, or of the name of its creator. */
  name_contains: z.string().max(1000).optional(),
  /** JSON object that its metadata contains. */
  metadata: z
    .string()
    .max(64 * 1024)
    .optional(),
  feedback_key: z.string().max(1000).optional(),
  /** Evaluators that a rule of one of the agent's environments runs. */
  agent_id: identifierText(1000).optional(),
  /** Projects or datasets for which a rule runs it. */
  resource_id: queryList(z.string().max(1000)),
  tag_value_id: queryList(z.string().max(1000)),
  sort_by: z.enum(['created_at', 'updated_at', 'name', 'type']).default('created_at'),
  sort_by_desc: QueryFlag.default(true),
  ...offsetPage,
  limit: clamped(1, 100, 100),
})
export type EvaluatorListQuery = z.output<typeof EvaluatorListQuery>

export const EVALUATOR_SPEND_GROUPS = ['evaluator', 'resource', 'run_rule'] as const

/** Either a filter on one evaluator, project or dataset, or `group_by`, with which the other filters go. */
export const EvaluatorSpendQuery = z.object({
  /** First of seven days. */
  period_start: z.iso.date(),
  evaluator_id: Uuid.optional(),
  session_id: Uuid.optional(),
  dataset_id: Uuid.optional(),
  /** @default evaluator */
  group_by: z.enum(EVALUATOR_SPEND_GROUPS).optional(),
  agent_id: identifierText(1000).optional(),
  feedback_key: z.string().max(1000).optional(),
  resource_id: queryList(z.string().max(1000)),
  tag_value_id: queryList(z.string().max(1000)),
  type: EvaluatorType.optional(),
})
export type EvaluatorSpendQuery = z.output<typeof EvaluatorSpendQuery>

const spendText = z.string().nullable()

/** Names are null where the group has several, and of what was deleted. */
export const EvaluatorSpendGroup = z.object({
  evaluator_id: spendText,
  evaluator_name: spendText,
  run_rule_id: spendText,
  run_rule_name: spendText,
  session_id: spendText,
  session_name: spendText,
  dataset_id: spendText,
  dataset_name: spendText,
  /** US dollars; calls without a price are not in it. */
  total_spend_usd: z.number(),
  total_trace_count: z.int(),
  /** Of the seven days before. */
  prev_total_spend_usd: z.number(),
  prev_total_trace_count: z.int(),
  /** Of the rule, when the group has one. */
  spend_limit: z.object({ limit_usd: z.number(), window: z.string(), utilization_pct: z.number() }).nullable(),
  /** Seven, oldest first. */
  days: z.array(z.object({ date: z.iso.date(), spend_usd: z.number(), trace_count: z.int() })),
})
export type EvaluatorSpendGroup = z.infer<typeof EvaluatorSpendGroup>

const EvaluatorSpendShape = z.object({
  /** Days; both belong to the period. */
  period_start: z.iso.date(),
  period_end: z.iso.date(),
  /** Groups that acted in the period or in the one before, the most expensive first. */
  groups: z.array(EvaluatorSpendGroup),
})
type EvaluatorSpendFields = z.output<typeof EvaluatorSpendShape>
/** Named, so that types of routes stay short. */
export interface EvaluatorSpend extends EvaluatorSpendFields {}
export const EvaluatorSpend: z.ZodType<EvaluatorSpend> = EvaluatorSpendShape

const tag = 'evaluators'
const params = z.object({ evaluator_id: Uuid })
/** Rules that run an evaluator are deleted with it when this is true. */
const deletion = { delete_run_rules: QueryFlag.optional() }

export const evaluatorRoutes = describeRoutes(routes.evaluators, tag, {
  list: {
    summary: 'Evaluators of the workspace, newest first; past the end the page is empty',
    query: EvaluatorListQuery,
    answer: z.object({ evaluators: z.array(Evaluator), total: z.int() }),
  },
  create: {
    summary: 'Keep an evaluator: a prompt for a model, or a program',
    body: EvaluatorCreate,
    status: 201,
    answer: z.object({ evaluator: Evaluator }),
  },
  spend: {
    summary:
      'What evaluators cost in seven days; 422 for group_by together with evaluator_id, session_id or dataset_id',
    query: EvaluatorSpendQuery,
    answer: EvaluatorSpend,
  },
  read: {
    summary: 'One evaluator',
    params,
    answer: Evaluator,
  },
  update: {
    summary: 'Change an evaluator; fields of its definition that are left out stay',
    params,
    body: EvaluatorUpdate,
    answer: z.object({ evaluator: Evaluator }),
  },
  delete: {
    summary: 'Delete an evaluator; feedback that it gave stays',
    params,
    query: z.object(deletion),
    status: 204,
  },
  deleteMany: {
    summary: 'Delete evaluators by their ids, and tell which could not be',
    query: z.object({
      evaluator_ids: queryList(z.string().max(100)).pipe(z.array(z.string()).min(1).max(100)),
      ...deletion,
    }),
    answer: z.object({
      succeeded: z.array(z.string()),
      failed: z.array(z.object({ id: z.string(), error: z.string() })),
    }),
  },
})
