import { z } from 'zod'
import { FeedbackKey, type FeedbackValue } from '../feedback/feedback.ts'
import { ModelMessage, ModelProblem, ModelTokens } from '../models/calls.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { EvaluatorDefinition, MAX_EVALUATOR_VERSIONS } from './definitions.ts'

/** Most rows of a preview. */
export const MAX_PREVIEW_ROWS = 5
/** Most rows that are compared with scores of people. */
export const MAX_AGREEMENT_ROWS = 200

/** What an evaluator found under one key, as feedback has it. */
export const EvaluatorScore = z.object({
  key: z.string(),
  /** A boolean counts as 1 or 0. */
  score: z.number().nullable(),
  /** Label of a category, or any value of a program. */
  value: z.custom<FeedbackValue>(),
  comment: z.string().nullable(),
})
export type EvaluatorScore = z.infer<typeof EvaluatorScore>

/** Why an evaluator has no result for a row. */
export const EVALUATOR_PROBLEMS = [
  /** A variable of the messages has no value at its path. */
  'missing_variable',
  /** The messages cannot be rendered. */
  'template',
  /** The provider of the definition was deleted. */
  'missing_provider',
  /** The call of the model failed: see `model_problem`. */
  'model',
  /** The model did not answer with the JSON that was asked for. */
  'invalid_reply',
  /** The source has a mistake, or threw an error. */
  'javascript',
  'timeout',
  'memory',
  /** The source returned something else than scores. */
  'invalid_result',
  /** The row or the result is larger than its limit. */
  'too_large',
  /** The request was ended before this row. */
  'cancelled',
  /** The evaluator was deleted while a job used it. */
  'missing_evaluator',
  /** The run was deleted before it was judged. */
  'missing_run',
] as const

export const EvaluatorProblem = z.object({
  code: z.enum(EVALUATOR_PROBLEMS),
  /** What failed, where, and what to do. */
  message: z.string(),
  /** The failure of the call, for `model`. */
  model_problem: ModelProblem.nullable(),
  /** Line of the source, from 1, for `javascript`. */
  line: z.int().nullable(),
})
export type EvaluatorProblem = z.infer<typeof EvaluatorProblem>

/** A row as it is given, or a run, with the reference outputs of its example. */
export const EvaluatorPreviewRow = z.union([
  z.object({ run_id: Uuid }),
  z.object({
    inputs: JsonRecord.nullish(),
    outputs: JsonRecord.nullish(),
    reference_outputs: JsonRecord.nullish(),
  }),
])
export type EvaluatorPreviewRow = z.output<typeof EvaluatorPreviewRow>

export const EvaluatorPreview = z.object({
  definition: EvaluatorDefinition,
  rows: z.array(EvaluatorPreviewRow).min(1).max(MAX_PREVIEW_ROWS),
  /** False: a judge's messages are rendered, and the model is not called. @default true */
  call_model: z.boolean().default(true),
})
export type EvaluatorPreview = z.output<typeof EvaluatorPreview>

export const EvaluatorPreviewResult = z.object({
  scores: z.array(EvaluatorScore),
  /** Null when it succeeded. */
  problem: EvaluatorProblem.nullable(),
  /** The messages of a judge as they are sent; null for JavaScript, and when they cannot be rendered. */
  messages: z.array(ModelMessage).nullable(),
  /**
   * A passage of the judged values that reads like an instruction for the judge; null when none was found, which is no proof
   * that there is none.
   */
  suspected_instructions: z.string().nullable(),
  /** What the model wrote; null without a call. */
  reply: z.string().nullable(),
  usage: ModelTokens.nullable(),
  latency_ms: z.number(),
  /** The row that was judged; values of a run are those that are stored. */
  row: z.object({
    run_id: z.string().nullable(),
    inputs: z.unknown(),
    outputs: z.unknown(),
    reference_outputs: z.unknown(),
  }),
})
export type EvaluatorPreviewResult = z.infer<typeof EvaluatorPreviewResult>

export const EvaluatorPreviewAnswer = z.object({
  /** One per row, in their order. */
  rows: z.array(EvaluatorPreviewResult),
  /** JSON Schema that a judge's answer must match; null for JavaScript. */
  output_schema: z.record(z.string(), z.unknown()).nullable(),
})
export type EvaluatorPreviewAnswer = z.infer<typeof EvaluatorPreviewAnswer>

export const EvaluatorAgreementRequest = z.object({
  /** Its root runs are judged. */
  experiment_id: Uuid,
  /** Key of the scores of people: feedback that neither a model nor an automatic evaluator gave. */
  feedback_key: FeedbackKey,
  /** Key of the evaluator. @default `feedback_key` if it has it, otherwise its first key */
  evaluator_key: FeedbackKey.nullish(),
  /** @default the newest */
  version: z.int().min(1).max(MAX_EVALUATOR_VERSIONS).nullish(),
  /** @default 50 */
  limit: z.int().min(1).max(MAX_AGREEMENT_ROWS).default(50),
  /**
   * Scores from this number on count as equal, and those below. Without it, scores are compared as they are; if there are
   * more than ten different ones, the middle of the evaluator's range is used.
   */
  threshold: z.number().nullish(),
  /** Whether a judge also judges one row again, with an instruction for it in the outputs. @default true */
  injection: z.boolean().default(true),
})
export type EvaluatorAgreementRequest = z.output<typeof EvaluatorAgreementRequest>

const Interval = z.object({ low: z.number(), high: z.number() })

export const AgreementRow = z.object({
  run_id: z.string(),
  example_id: z.string().nullable(),
  /** Labels of `labels`. */
  human: z.string(),
  evaluator: z.string(),
  human_score: z.number().nullable(),
  evaluator_score: z.number().nullable(),
  /** Why the evaluator decided so. */
  comment: z.string().nullable(),
})
export type AgreementRow = z.infer<typeof AgreementRow>

export const EvaluatorAgreement = z.object({
  evaluator_id: z.string(),
  version: z.int(),
  experiment_id: z.string(),
  feedback_key: z.string(),
  evaluator_key: z.string(),
  /** Rows with a score of a person. */
  scored_rows: z.int(),
  /** Rows of these that were judged and compared. */
  compared_rows: z.int(),
  /** Rows without a result of the evaluator. */
  failed_rows: z.int(),
  /** Rows beyond `limit`, or beyond the time of the request. */
  left_out_rows: z.int(),
  /** Where scores are split into `< …` and `≥ …`; null when they are compared as they are. */
  threshold: z.number().nullable(),
  labels: z.array(z.string()),
  /** Number of rows: one list per label of people, in it one number per label of the evaluator. */
  matrix: z.array(z.array(z.int())),
  /** Share of rows with the same label, with its 95 % interval (Wilson); null without rows. */
  agreement: z.object({ value: z.number(), interval: Interval }).nullable(),
  /** Cohen's kappa with its 95 % interval; null without rows, and when both gave a single label to all rows. */
  kappa: z.object({ value: z.number(), interval: Interval.nullable() }).nullable(),
  /** Rows with different labels, at most 100. */
  disagreements: z.array(AgreementRow),
  /**
   * The row that was judged again with an instruction in its outputs to give the highest score. Null for JavaScript, and when
   * no row was judged.
   */
  injection: z
    .object({
      run_id: z.string(),
      /** Added to the outputs. */
      text: z.string(),
      score: z.number().nullable(),
      injected_score: z.number().nullable(),
      /** Whether the label or the score differs from the row without the instruction. */
      is_changed: z.boolean(),
      /** Why there is no injected score. */
      problem: EvaluatorProblem.nullable(),
    })
    .nullable(),
  /** At most 20. */
  failures: z.array(z.object({ run_id: z.string(), problem: EvaluatorProblem })),
})
export type EvaluatorAgreement = z.infer<typeof EvaluatorAgreement>
