import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { offsetPage, QueryFlag, queryList } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText, toStorable } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

/** Where feedback comes from; others are stored as they are. */
export const FEEDBACK_SOURCES = ['api', 'app', 'model', 'auto_eval'] as const

/** Characters of a comment, and of the JSON text of a value, correction or `extra`. */
export const MAX_FEEDBACK_TEXT = 1 << 20

/** Name of what is judged. */
export const FeedbackKey = z
  .string({ error: 'is not a string of 1 to 180 characters' })
  .min(1, 'is not a string of 1 to 180 characters')
  .max(180, 'is not a string of 1 to 180 characters')
  .pipe(identifierText())

/** A finite number, or a boolean, which counts as 1 or 0. */
const Score = z
  .union([z.number(), z.boolean()], { error: 'is neither a finite number nor a boolean' })
  .transform(Number)
  .meta({ type: ['number', 'boolean'] })

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

export type FeedbackValue = number | boolean | string | object | null

/** Label of categorical feedback, or any other value. A list would break the models that public clients read it into. */
const Value = z
  .custom<FeedbackValue>()
  .refine((value) => !Array.isArray(value), { error: 'is a list; a number, boolean, string or object is expected' })
  .overwrite((value) => (typeof value === 'string' ? toStorable(value) : value))

const Correction = Value.refine((value) => value == null || typeof value === 'string' || isRecord(value), {
  error: 'is neither an object nor a string',
})

/** Categories that one config has at most. */
export const MAX_CATEGORIES = 1000

export const FeedbackCategory = z.object({
  value: z.number(),
  label: repairedText(1000).min(1).nullish(),
})

/** What scores of a key mean. */
export const FeedbackConfig = z.object({
  type: z.enum(['continuous', 'categorical', 'freeform']),
  min: z.number().nullish(),
  max: z.number().nullish(),
  categories: z.array(FeedbackCategory).max(MAX_CATEGORIES).nullish(),
  /** Whether one record may name several categories. */
  allows_multiple_categories: z.boolean().nullish(),
})
export type FeedbackConfig = z.infer<typeof FeedbackConfig>

/**
 * Figures of one key. `avg`, `min`, `max` and `stdev` (of the sample) are over numeric scores, null when there are none
 * (for `stdev`, below two). `values` counts the 100 most frequent labels; comments are examples, cut to 500 characters.
 */
export const FeedbackStat = z.object({
  n: z.number(),
  avg: z.number().nullable(),
  min: z.number().nullable().optional(),
  max: z.number().nullable().optional(),
  stdev: z.number().nullable().optional(),
  errors: z.number().optional(),
  values: z.record(z.string(), z.number()).optional(),
  comments: z.array(z.string()).optional(),
  sources: z.array(z.string()).optional(),
  contains_thread_feedback: z.boolean().optional(),
})
export type FeedbackStat = z.infer<typeof FeedbackStat>

/** What is said about a run. */
export const feedbackContent = {
  score: Score.nullish(),
  value: Value.optional(),
  comment: repairedText(MAX_FEEDBACK_TEXT).nullish(),
  correction: Correction.optional(),
}

const FeedbackSourceWrite = z.looseObject({
  type: z.string().max(100).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})

/** Feedback as it is given; one of `run_id` and `session_id` is needed. The run may not have arrived yet. */
export const FeedbackCreate = z
  .object({
    id: Uuid.nullish(),
    key: FeedbackKey,
    run_id: Uuid.nullish(),
    trace_id: Uuid.nullish(),
    /** Project of the run; with `run_id` null, the project that the feedback is about. */
    session_id: Uuid.nullish(),
    start_time: Time.nullish(),
    ...feedbackContent,
    feedback_source: FeedbackSourceWrite.nullish(),
    /** Recorded as the key's config when the key has none yet. */
    feedback_config: FeedbackConfig.nullish(),
    /** How JavaScript clients spell it. */
    feedbackConfig: FeedbackConfig.nullish(),
    comparative_experiment_id: Uuid.nullish(),
    feedback_group_id: Uuid.nullish(),
    /** With `session_id` and without `run_id`, the thread of that project that the feedback is about. */
    feedback_thread_id: repairedText(1000).nullish(),
    error: z.boolean().nullish(),
    extra: z.record(z.string(), z.unknown()).nullish(),
    created_at: Time.nullish(),
    modified_at: Time.nullish(),
  })
  .refine(({ run_id, session_id }) => run_id != null || session_id != null, {
    error: 'or session_id is required',
    path: ['run_id'],
  })
export type FeedbackCreate = z.output<typeof FeedbackCreate>

/** An explicit null clears a field; an absent field stays as it is. */
export const FeedbackUpdate = z.object({
  ...feedbackContent,
  feedback_config: FeedbackConfig.nullish(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z.object(feedbackContent).nullish(),
})
export type FeedbackUpdate = z.output<typeof FeedbackUpdate>

/** `run_id` is null for feedback on a project. Project, trace and start time are those of the run, null until it arrives. */
export const Feedback = z.object({
  id: z.string(),
  created_at: z.string(),
  modified_at: z.string(),
  run_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  session_id: z.string().nullable(),
  start_time: z.string().nullable(),
  is_root: z.boolean(),
  key: z.string(),
  score: z.number().nullable(),
  value: z.custom<FeedbackValue>(),
  comment: z.string().nullable(),
  correction: z.custom<string | object | null>(),
  feedback_source: z.looseObject({
    type: z.string(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    user_id: z.string().nullable(),
    user_name: z.string().nullable(),
  }),
  feedback_config: FeedbackConfig.nullable(),
  comparative_experiment_id: z.string().nullable(),
  feedback_group_id: z.string().nullable(),
  feedback_thread_id: z.string().nullable(),
  error: z.boolean(),
  extra: z.record(z.string(), z.unknown()).nullable(),
})
export type Feedback = z.infer<typeof Feedback>

/** `api`, also as Python prints an enum: `FeedbackSourceType.API`. */
const SourceName = z.string().transform((name) => name.slice(name.lastIndexOf('.') + 1).toLowerCase())

/** Conditions combine with AND, the items of one list with OR. */
export const FeedbackConditions = z.object({
  run: queryList(Uuid),
  key: z.preprocess((value) => (value === undefined ? undefined : [value].flat()), z.array(z.string()).optional()),
  source: queryList(SourceName),
  session: queryList(Uuid),
  user: queryList(Uuid),
  has_comment: QueryFlag.optional(),
  has_score: QueryFlag.optional(),
  /** `run`: on runs; `session`: on projects. */
  level: z.enum(['run', 'session']).optional(),
  comparative_experiment_id: Uuid.optional(),
  feedback_thread_id: z.string().optional(),
  /** Bounds, inclusive. */
  min_created_at: Time.optional(),
  max_created_at: Time.optional(),
})
export type FeedbackConditions = z.output<typeof FeedbackConditions>

export const FeedbackListQuery = FeedbackConditions.extend({
  include_user_names: QueryFlag.optional(),
  ...offsetPage,
})
export type FeedbackListQuery = z.output<typeof FeedbackListQuery>

const feedbackId = z.object({ feedback_id: Uuid })
const tag = 'feedback'

export const feedbackRoutes = describeRoutes(routes.feedback, tag, {
  create: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Give feedback on a run or a project; the same id again replaces the record',
    body: FeedbackCreate,
    answer: Feedback,
  },
  createEager: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'The same as creating feedback, which is readable at once either way',
    body: FeedbackCreate,
    answer: Feedback,
  },
  list: {
    summary: 'Feedback of the workspace, newest first',
    query: FeedbackListQuery,
    answer: z.array(Feedback),
  },
  read: {
    summary: 'One feedback record',
    params: feedbackId,
    query: z.object({ include_user_names: QueryFlag.optional() }),
    answer: Feedback,
  },
  update: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Change score, value, comment or correction; null clears a field, an absent field stays as it is',
    params: feedbackId,
    body: FeedbackUpdate,
    answer: Feedback,
  },
  delete: {
    summary: 'Delete a feedback record',
    params: feedbackId,
  },
})
