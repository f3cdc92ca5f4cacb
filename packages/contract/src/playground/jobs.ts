import { MAX_VALUE_PATH, parseValuePath } from '@touchstone/formats/templates'
import { z } from 'zod'
import { MAX_EVALUATOR_VERSIONS } from '../evaluators/definitions.ts'
import { ModelProblem } from '../models/calls.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'
import { MAX_PLAYGROUND_REPEATS, PlaygroundValues, PlaygroundVariant, PlaygroundVariants } from './playground.ts'

/** Most calls of models of one job: rows times variants times repetitions. */
export const MAX_PLAYGROUND_CALLS = 50_000
/** Most calls of one job at once. */
export const MAX_PLAYGROUND_CONCURRENCY = 50

const Name = repairedText(200).trim().min(1, 'is empty')

/** A path in a row: `inputs.question`, `outputs.answer`, `metadata.tags[0]` or `inputs["a key"]`. */
const RowPath = z
  .string()
  .max(MAX_VALUE_PATH)
  .refine((path) => /^(inputs|outputs|metadata)$/.test(String(parseValuePath(path)?.[0])), {
    error: 'is no path in a row; write for example inputs.question',
  })

export const PlaygroundLimits = z.object({
  /**
   * US dollars for the calls of variants and of judges; no call of a variant begins when their cost so far has reached it.
   * Calls of models without a price cost nothing here.
   */
  max_cost_usd: z.number().positive().max(1_000_000).nullish(),
  /** Seconds that the job works, without pauses. */
  max_seconds: z
    .number()
    .positive()
    .max(30 * 86_400)
    .nullish(),
})
export type PlaygroundLimits = z.infer<typeof PlaygroundLimits>

/** Each variant is called for each row of a dataset, and recorded as an experiment. */
export const PlaygroundJobCreate = z.object({
  dataset_id: Uuid,
  /** Version of the dataset: a time or a tag. @default the newest */
  as_of: z.union([Time, z.string().min(1).max(200)]).nullish(),
  /** Only examples of these splits. */
  splits: z.array(z.string().min(1).max(200)).min(1).max(100).nullish(),
  /** Only these examples. */
  example_ids: z.array(Uuid).min(1).max(10_000).nullish(),
  variants: PlaygroundVariants,
  /** Variable → path in a row. A variable that is neither here nor in `variables` is read from `inputs`. */
  mapping: z
    .record(z.string().min(1).max(200), RowPath)
    .refine((mapping) => Object.keys(mapping).length <= 1000, { error: 'has more than 1000 variables' })
    .default({}),
  /** Values that are the same for all rows. */
  variables: PlaygroundValues.default({}),
  repeats: z.int().min(1).max(MAX_PLAYGROUND_REPEATS).default(1),
  /** Most calls at once. */
  concurrency: z.int().min(1).max(MAX_PLAYGROUND_CONCURRENCY).default(5),
  /** Beginning of the names of the experiments. */
  name: Name,
  evaluators: z
    .array(z.object({ evaluator_id: Uuid, version: z.int().min(1).max(MAX_EVALUATOR_VERSIONS).nullish() }))
    .max(20)
    .default([]),
  limits: PlaygroundLimits.default({}),
})
export type PlaygroundJobCreate = z.output<typeof PlaygroundJobCreate>

/** A variable without a value in some rows. */
export const PlaygroundMissing = z.object({
  variable: z.string(),
  /** The path that was read. */
  path: z.string(),
  /** Number of rows without a value. */
  rows: z.int(),
  /** Why, for the first of these rows. */
  reason: z.string(),
  /** The first five of these rows. */
  example_ids: z.array(z.string()),
})
export type PlaygroundMissing = z.infer<typeof PlaygroundMissing>

const figures = {
  calls: z.int(),
  /** Estimated tokens of all calls. */
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** US dollars; null when a model has no price. */
  cost: z.number().nullable(),
}

/**
 * What a job will need, extrapolated from its first rows. Four characters count as a token. An answer is assumed to be as
 * long as the reference output of its row, or 256 tokens without one, at most `max_tokens`.
 */
export const PlaygroundEstimate = z.object({
  rows: z.int(),
  ...figures,
  /** In the order of the request. */
  variants: z.array(z.object({ name: z.string(), ...figures })),
  /** Judges among the evaluators, in the order of the request; not part of the figures of the whole. */
  judges: z.array(z.object({ name: z.string(), ...figures })).nullish(),
  /** Number of rows that were rendered for the estimate, at most 5. */
  sample_rows: z.int(),
  /** Variables without a value, counted over all rows. */
  missing: z.array(PlaygroundMissing),
  /** Templates that cannot be rendered, for the first row. */
  problems: z.array(z.object({ variant: z.int(), message: z.string() })),
})
export type PlaygroundEstimate = z.infer<typeof PlaygroundEstimate>

/**
 * `PAUSED` and `STOPPED` by a person, `STOPPED` also by a limit, `ERROR` when calls cannot succeed; all three can be resumed.
 * A running job continues after a restart of the server. When the server died twice in a row while it ran, it is `PAUSED`.
 */
export const PLAYGROUND_JOB_STATES = ['RUNNING', 'PAUSED', 'STOPPED', 'COMPLETED', 'ERROR'] as const
export const PlaygroundJobState = z.enum(PLAYGROUND_JOB_STATES)
export type PlaygroundJobState = z.infer<typeof PlaygroundJobState>

const counts = {
  /** Number of calls. */
  total: z.int(),
  /** Calls that ended, including `failed`. */
  done: z.int(),
  failed: z.int(),
  /** US dollars so far; null when no call had a price. */
  cost: z.number().nullable(),
}

export const PlaygroundJob = z.object({
  id: z.string(),
  name: z.string(),
  state: PlaygroundJobState,
  /** Why it is in this state: a limit, an error, deaths of the server; null when it runs, completed or a person changed it. */
  reason: z.string().nullable(),
  dataset_id: z.string(),
  /** The version of the dataset that the job reads. */
  dataset_version: z.string(),
  ...counts,
  /** US dollars of judges so far, not part of `cost`; null when no call of a judge had a price. */
  judge_cost: z.number().nullish(),
  /** In the order of the request. */
  variants: z.array(
    z.object({
      name: z.string(),
      provider_id: z.string(),
      model: z.string(),
      ...counts,
      experiment_id: z.string(),
      experiment_name: z.string(),
      /** Path of the experiment's page below the origin. */
      experiment_path: z.string(),
    }),
  ),
  /** Path of the comparison of its experiments below the origin. */
  comparison_path: z.string(),
  repeats: z.int(),
  concurrency: z.int(),
  limits: PlaygroundLimits,
  evaluators: z.array(z.object({ evaluator_id: z.string(), version: z.int().nullable() })),
  created_at: z.string(),
  created_by_name: z.string().nullable(),
  /** Null while it is `RUNNING` or `PAUSED`. */
  ended_at: z.string().nullable(),
})
export type PlaygroundJob = z.infer<typeof PlaygroundJob>

/** A call that failed, after all its tries, or an evaluator that failed for its answer. */
export const PlaygroundFailure = z.object({
  variant: z.int(),
  repeat: z.int(),
  example_id: z.string(),
  run_id: z.string(),
  /** Null when the call succeeded. */
  problem: ModelProblem.nullable(),
  /** What evaluators reported; null without. */
  evaluator_error: z.string().nullable(),
})
export type PlaygroundFailure = z.infer<typeof PlaygroundFailure>

export const PlaygroundJobDetail = PlaygroundJob.extend({
  /** The first 100. */
  failures: z.array(PlaygroundFailure),
  /** As they were sent. */
  request: z.object({
    variants: z.array(PlaygroundVariant),
    mapping: z.record(z.string(), z.string()),
    variables: z.record(z.string(), z.unknown()),
  }),
})
export type PlaygroundJobDetail = z.infer<typeof PlaygroundJobDetail>

const tag = 'playground'
const extension = true
const path = z.object({ job_id: Uuid })

export const playgroundJobRoutes = describeRoutes(routes.playgroundJobs, tag, {
  estimate: {
    extension,
    summary: 'Calls, tokens and price of a job over a dataset, and variables without a value; no model is called',
    body: PlaygroundJobCreate,
    maxBodyBytes: BODY_LIMITS.record,
    answer: PlaygroundEstimate,
  },
  create: {
    extension,
    summary: 'Call each variant for each row of a dataset, as a job; each variant becomes an experiment',
    body: PlaygroundJobCreate,
    maxBodyBytes: BODY_LIMITS.record,
    answer: PlaygroundJob,
  },
  list: {
    extension,
    summary: 'Jobs of the playground, newest first',
    query: z.object({ ...historyPage, dataset_id: Uuid.optional() }),
    answer: z.object({ jobs: z.array(PlaygroundJob), total: z.int() }),
  },
  read: { extension, summary: 'One job with its request and what failed', params: path, answer: PlaygroundJobDetail },
  pause: {
    extension,
    summary: 'Begin no more calls of a job until it is resumed; 409 unless it runs',
    params: path,
    answer: PlaygroundJob,
  },
  resume: {
    extension,
    summary: 'Continue a job, if given with other limits; 409 unless it is paused, stopped or failed',
    params: path,
    body: z.object({ limits: PlaygroundLimits.nullish() }),
    answer: PlaygroundJob,
  },
  stop: {
    extension,
    summary: 'End a job and cancel its calls; what it has done stays; 409 when it has ended',
    params: path,
    answer: PlaygroundJob,
  },
})
