import { z } from 'zod'
import { MAX_PLAYGROUND_CALLS, PlaygroundJobState, PlaygroundLimits } from '../playground/jobs.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { MAX_EVALUATOR_VERSIONS } from './definitions.ts'
import { EvaluatorProblem } from './results.ts'

/** Most runs that one job judges. */
export const MAX_JUDGED_RUNS = MAX_PLAYGROUND_CALLS
/** Most experiments of one job. */
export const MAX_JUDGED_EXPERIMENTS = 20
/** Most judgements of one job at once. */
export const MAX_JUDGING_CONCURRENCY = 20

/** A saved evaluator judges the root runs of experiments that exist. */
export const EvaluatorJobCreate = z.object({
  evaluator_id: Uuid,
  /** @default the newest */
  version: z.int().min(1).max(MAX_EVALUATOR_VERSIONS).nullish(),
  /** Experiments over one dataset. */
  experiment_ids: z
    .array(Uuid)
    .min(1)
    .max(MAX_JUDGED_EXPERIMENTS)
    .refine((ids) => new Set(ids).size === ids.length, { error: 'has an experiment twice' }),
  /** Judge runs again that this version has judged before; the new scores replace its earlier ones. @default false */
  again: z.boolean().default(false),
  /** Most judgements at once. */
  concurrency: z.int().min(1).max(MAX_JUDGING_CONCURRENCY).default(5),
  limits: PlaygroundLimits.default({}),
})
export type EvaluatorJobCreate = z.output<typeof EvaluatorJobCreate>

/** Root runs that a job does not judge. */
const leftOut = z.object({
  /** This version has judged them; `again` includes them. */
  judged: z.int(),
  /** They failed, so they have no answer. */
  failed: z.int(),
  /** They have not ended. */
  running: z.int(),
})

/** What a job will need, extrapolated from its first runs. Four characters count as a token. */
export const EvaluatorJobEstimate = z.object({
  evaluator_name: z.string(),
  version: z.int(),
  /** Runs that will be judged. */
  runs: z.int(),
  left_out: leftOut,
  /** Of a judge; 0 for JavaScript, which calls no model. */
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** US dollars; null when the model has no price. */
  cost: z.number().nullable(),
  /** Number of runs that were rendered for the estimate, at most 5. */
  sample_runs: z.int(),
  /** Why the messages of a judge cannot be rendered, for the first of these runs; null when they can. */
  problem: EvaluatorProblem.nullable(),
})
export type EvaluatorJobEstimate = z.infer<typeof EvaluatorJobEstimate>

const counts = {
  /** Number of runs. */
  total: z.int(),
  /** Runs that were judged, including `failed`. */
  done: z.int(),
  failed: z.int(),
  /** US dollars so far; null when no call had a price. */
  cost: z.number().nullable(),
}

export const EvaluatorJob = z.object({
  id: z.string(),
  state: PlaygroundJobState,
  /** Why it is in this state: a limit, an error, deaths of the server; null when it runs, completed or a person changed it. */
  reason: z.string().nullable(),
  evaluator_id: z.string(),
  evaluator_name: z.string(),
  version: z.int(),
  dataset_id: z.string(),
  /** The version of the dataset whose reference outputs are compared: the newest when the job was created. */
  dataset_version: z.string(),
  ...counts,
  /** In the order of the request. */
  experiments: z.array(
    z.object({
      experiment_id: z.string(),
      experiment_name: z.string(),
      /** Path of its page below the origin. */
      experiment_path: z.string(),
      ...counts,
    }),
  ),
  again: z.boolean(),
  concurrency: z.int(),
  limits: PlaygroundLimits,
  created_at: z.string(),
  created_by_name: z.string().nullable(),
  /** Null while it is `RUNNING` or `PAUSED`. */
  ended_at: z.string().nullable(),
})
export type EvaluatorJob = z.infer<typeof EvaluatorJob>

export const EvaluatorJobDetail = EvaluatorJob.extend({
  /** The first 100. */
  failures: z.array(
    z.object({
      experiment_id: z.string(),
      run_id: z.string(),
      /** Null when the run was judged. */
      problem: EvaluatorProblem.nullable(),
      /** Why its scores could not be recorded; null when they were. */
      recording_error: z.string().nullable(),
    }),
  ),
})
export type EvaluatorJobDetail = z.infer<typeof EvaluatorJobDetail>

const tag = 'evaluators'
const extension = true
const path = z.object({ job_id: Uuid })
const maxBodyBytes = BODY_LIMITS.record

export const evaluatorJobRoutes = describeRoutes(routes.evaluatorJobs, tag, {
  estimate: {
    extension,
    summary: 'Runs, tokens and price of judging experiments; no model is called',
    body: EvaluatorJobCreate,
    maxBodyBytes,
    answer: EvaluatorJobEstimate,
  },
  create: {
    extension,
    summary: 'Judge the root runs of experiments with a saved evaluator, as a job; 409 while another one does the same',
    body: EvaluatorJobCreate,
    maxBodyBytes,
    answer: EvaluatorJob,
  },
  list: {
    extension,
    summary: 'Jobs that judge experiments, newest first',
    query: z.object({ ...historyPage, dataset_id: Uuid.optional() }),
    answer: z.object({ jobs: z.array(EvaluatorJob), total: z.int() }),
  },
  read: { extension, summary: 'One job with what failed', params: path, answer: EvaluatorJobDetail },
  pause: {
    extension,
    summary: 'Begin no more judgements of a job until it is resumed; 409 unless it runs',
    params: path,
    answer: EvaluatorJob,
  },
  resume: {
    extension,
    summary: 'Continue a job, if given with other limits; 409 unless it is paused, stopped or failed',
    params: path,
    body: z.object({ limits: PlaygroundLimits.nullish() }),
    answer: EvaluatorJob,
  },
  stop: {
    extension,
    summary: 'End a job and cancel its calls; scores that it gave stay; 409 when it has ended',
    params: path,
    answer: EvaluatorJob,
  },
})
