import { z } from 'zod'
import { datasetId } from '../datasets/datasets.ts'
import { Example } from '../datasets/examples.ts'
import { Feedback, FeedbackStat } from '../feedback/feedback.ts'
import { Project } from '../projects/projects.ts'
import * as routes from '../routes.ts'
import { Run } from '../runs/runs.ts'
import { pageSize, RunV2, Selects } from '../runs/v2.ts'
import { CsvReader } from '../wire/csv.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, shortList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'

/** Most experiments of one comparison. */
export const MAX_COMPARED = 50

/**
 * A run of an experiment. With `preview`, `inputs` and `outputs` are null, and `inputs_preview` and `outputs_preview`
 * contain their first characters. `feedbacks` are the records behind `feedback_stats`, oldest first.
 */
export const ExperimentRun = Run.extend({ feedbacks: z.array(Feedback) })
export type ExperimentRun = z.infer<typeof ExperimentRun>

/** `runs` are in the order of the requested sessions and of their start; repetitions are several runs. */
export const ExampleWithRuns = Example.extend({ runs: z.array(ExperimentRun) })
export type ExampleWithRuns = z.infer<typeof ExampleWithRuns>

const sessionIds = z
  .array(Uuid)
  .min(1)
  .max(MAX_COMPARED)
  .transform((ids) => [...new Set(ids)])

/** `feedback.` and the key to sort by. */
const SortBy = z.string().regex(/^feedback\.[\s\S]+$/, 'is not feedback. and a key')
const SortOrder = z
  .string()
  .transform((order) => order.toUpperCase())
  .pipe(z.enum(['ASC', 'DESC']))

/**
 * Run filters by session. An example is returned only if each of these sessions has a run that satisfies all of its
 * filters.
 */
const Filters = z
  .record(Uuid, shortList(z.string(), 20))
  .refine((filters) => Object.keys(filters).length <= MAX_COMPARED, `filters more than ${MAX_COMPARED} sessions`)

const narrowing = {
  filters: Filters.nullish(),
  example_ids: z.array(Uuid).max(1000).nullish(),
  /** Includes feedback of this comparison; otherwise comparative feedback is left out. */
  comparative_experiment_id: Uuid.nullish(),
}

const page = {
  /** @default 0 */
  offset: z.int().min(0).nullish(),
  /** @default 10; 100 for deltas, all for a CSV file */
  limit: z.int().min(1).max(100).nullish(),
}

/** Names the sessions of a request that do not exist, separated by commas, where the answer is a list or a file. */
export const MISSING_SESSIONS_HEADER = 'x-missing-sessions'

/** Sessions of the request that do not exist, for example because they were deleted. Absent when all exist. */
const missingSessions = z.array(z.string()).optional()

/**
 * Without a sort, the latest changed examples come first. A sort by feedback uses the mean over the sessions; examples
 * without a score are last. Sessions that do not exist are left out and named in the header `x-missing-sessions`; the answer
 * is 404 when none exists, or when a filter names a session that does not exist.
 */
export const ExperimentRunsQuery = z.object({
  session_ids: sessionIds,
  ...page,
  preview: z.boolean().nullish(),
  sort_params: z.object({ sort_by: SortBy, sort_order: SortOrder.nullish() }).nullish(),
  include_annotator_detail: z.boolean().nullish(),
  ...narrowing,
})
export type ExperimentRunsQuery = z.output<typeof ExperimentRunsQuery>

export const GroupedRunsQuery = ExperimentRunsQuery.extend({
  group_by: z.enum(['run_metadata', 'example_metadata']),
  metadata_key: z.string().min(1).max(1000),
  /** Examples of each group. */
  per_group_limit: z.preprocess((value) => value ?? undefined, clamped(1, 10, 5)),
})
export type GroupedRunsQuery = z.output<typeof GroupedRunsQuery>

/** Statistics of runs. Latencies are seconds; costs are decimal text, null when no price is known. */
export const RunGroupStats = z.object({
  count: z.int(),
  total_tokens: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_cost: z.string().nullable(),
  prompt_cost: z.string().nullable(),
  completion_cost: z.string().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  error_rate: z.number().nullable(),
  latency_p50: z.number().nullable(),
  latency_p99: z.number().nullable(),
  min_start_time: z.string().nullable(),
  max_start_time: z.string().nullable(),
  feedback_stats: z.record(z.string(), FeedbackStat),
})
export type RunGroupStats = z.infer<typeof RunGroupStats>

/**
 * Examples with the same metadata value. `filter` selects its runs (by `run_metadata`) or its examples (by
 * `example_metadata`); `count` counts runs, `example_count` examples.
 */
export const ExampleGroup = RunGroupStats.extend({
  /** Text of the value, or its JSON text. */
  group_key: z.string(),
  filter: z.string(),
  sessions: z.array(RunGroupStats.extend({ id: z.string(), name: z.string() })),
  examples: z.array(ExampleWithRuns),
  example_count: z.int(),
})
export type ExampleGroup = z.infer<typeof ExampleGroup>

const deltas = {
  baseline_session_id: Uuid,
  filters: Filters.nullish(),
  comparative_experiment_id: Uuid.nullish(),
}

const FeedbackKeyWanted = z.string().min(1).max(180)

/** `offset` and `limit` apply to each list of examples separately. */
export const RunDeltasQuery = z.object({
  ...deltas,
  comparison_session_ids: sessionIds,
  feedback_key: FeedbackKeyWanted,
  ...page,
})
export type RunDeltasQuery = z.output<typeof RunDeltasQuery>

export const RunDeltasStreamQuery = z.object({
  ...deltas,
  comparison_session_ids: z.array(Uuid).min(1).max(10),
  feedback_keys: z.array(FeedbackKeyWanted).min(1).max(100),
})
export type RunDeltasStreamQuery = z.output<typeof RunDeltasStreamQuery>

/**
 * Examples with a better or worse mean score than in the baseline. For a key whose lower scores are better, lower is
 * better. Equal and missing scores are in neither list.
 */
export const FeedbackDelta = z.object({
  improved_examples: z.array(z.string()),
  regressed_examples: z.array(z.string()),
})
export type FeedbackDelta = z.infer<typeof FeedbackDelta>

/** By session id. */
export const FeedbackDeltas = z.record(z.string(), FeedbackDelta)
export type FeedbackDeltas = z.infer<typeof FeedbackDeltas>

export const GroupedExperimentsQuery = z.object({
  metadata_keys: z.array(z.string().min(1).max(1000)).min(1).max(4),
  /** Compared as a time where it is one. */
  dataset_version: z.string().nullish(),
  experiment_limit: z.preprocess((value) => value ?? undefined, clamped(1, 1000, 1000)),
  /** Filter language over `PROJECT_FILTERS`. */
  filter: z.string().nullish(),
  name_contains: z.string().nullish(),
  /** Statistics include only runs that started at or after this time. */
  stats_start_time: Time.nullish(),
  use_approx_stats: z.boolean().nullish(),
})
export type GroupedExperimentsQuery = z.output<typeof GroupedExperimentsQuery>

/** Experiments with the same values of all keys; a missing key is null in `group_key`. */
export const ExperimentGroup = z.object({
  group_key: z.record(z.string(), z.unknown()),
  session_count: z.int(),
  run_count: z.int(),
  feedback_stats: z.record(z.string(), FeedbackStat),
  latency_p50: z.number().nullable(),
  latency_p99: z.number().nullable(),
  error_rate: z.number().nullable(),
  total_tokens: z.int(),
  total_cost: z.string().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  min_start_time: z.string().nullable(),
  max_start_time: z.string().nullable(),
  sessions: z.array(Project),
})
export type ExperimentGroup = z.infer<typeof ExperimentGroup>

export const ExperimentRunsV2Query = z.object({
  experiment_ids: sessionIds,
  page_size: pageSize(100, 20),
  cursor: z.string().nullish(),
  /** Fields of runs. @default the id */
  selects: Selects,
  sort: z.object({ by: SortBy, order: SortOrder.nullish() }).nullish(),
  ...narrowing,
})
export type ExperimentRunsV2Query = z.output<typeof ExperimentRunsV2Query>

/** Columns of the comparison with settings; others are refused. */
export const OVERRIDABLE_COLUMNS = [
  'inputs',
  'outputs',
  'reference_outputs',
  'feedback',
  'metrics',
  'attachments',
  'metadata',
] as const

/** Display settings of a column of the comparison. */
export const ColumnOverride = z.object({
  /** One of `OVERRIDABLE_COLUMNS`, optionally followed by a path. */
  column: z.string().max(200),
  color_gradient: z
    .array(z.tuple([z.number(), z.string().max(100)]))
    .max(20)
    .nullish(),
  color_map: z.record(z.string(), z.string()).nullish(),
  disable_colors: z.boolean().nullish(),
  hide: z.boolean().nullish(),
  /** Digits after the decimal point. */
  precision: z.int().min(1).max(6).nullish(),
})
export type ColumnOverride = z.output<typeof ColumnOverride>

const ColumnOverrides = z.object({ column_overrides: z.array(ColumnOverride).min(1).max(50) })

export const ExperimentViewOverride = z.object({
  id: z.string(),
  dataset_id: z.string(),
  column_overrides: z.array(ColumnOverride),
  created_at: z.string(),
  modified_at: z.string(),
})
export type ExperimentViewOverride = z.infer<typeof ExperimentViewOverride>

const overrideId = datasetId.extend({ override_id: Uuid })
const tag = 'experiments'

export const experimentRoutes = describeRoutes(routes.experiments, tag, {
  runs: {
    summary: 'Examples of a dataset with their runs in experiments; `format=csv` answers a file of all of them',
    params: datasetId,
    query: z.object({ format: z.string().optional(), for: CsvReader.optional() }),
    body: ExperimentRunsQuery,
    answer: z.array(ExampleWithRuns),
  },
  groupedRuns: {
    summary: 'The same by a value of metadata, with figures of each group',
    params: datasetId,
    body: GroupedRunsQuery,
    answer: z.object({ groups: z.array(ExampleGroup), missing_session_ids: missingSessions }),
  },
  deltas: {
    summary: 'Examples on which experiments score better or worse than a baseline',
    params: datasetId,
    body: RunDeltasQuery,
    answer: z.object({ feedback_deltas: FeedbackDeltas, missing_session_ids: missingSessions }),
  },
  deltasStream: {
    summary: 'The same for several keys as server-sent events: `data` for each, then `end`',
    params: datasetId,
    body: RunDeltasStreamQuery,
  },
  grouped: {
    summary: 'Experiments of a dataset by values of their metadata, with figures of each group',
    params: datasetId,
    body: GroupedExperimentsQuery,
    answer: z.object({ groups: z.array(ExperimentGroup) }),
  },
  runsV2: {
    summary: 'Examples of a dataset with their runs in experiments, a page at a time',
    params: datasetId,
    body: ExperimentRunsV2Query,
    answer: z.object({
      items: z.array(Example.extend({ runs: z.array(RunV2) })),
      next_cursor: z.string().nullable(),
      missing_experiment_ids: missingSessions,
    }),
  },
  listOverrides: {
    summary: 'How the columns of a comparison are shown; one entry at most',
    params: datasetId,
    answer: z.array(ExperimentViewOverride),
  },
  createOverride: {
    summary: 'Say how columns are shown; 409 when it was said',
    params: datasetId,
    body: ColumnOverrides,
    status: 201,
    answer: ExperimentViewOverride,
  },
  readOverride: {
    summary: 'How columns are shown',
    params: overrideId,
    answer: ExperimentViewOverride,
  },
  updateOverride: {
    summary: 'Replace how columns are shown',
    params: overrideId,
    body: ColumnOverrides,
    answer: ExperimentViewOverride,
  },
  deleteOverride: {
    summary: 'Show columns as they are again',
    params: overrideId,
    status: 204,
  },
})
