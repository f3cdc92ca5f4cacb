import { z } from 'zod'
import { FeedbackStat } from '../feedback/feedback.ts'
import type { FilterSurface } from '../filter/index.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { offsetPage, QueryFlag, queryList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

const extra = z.record(z.string(), z.unknown()).nullish()

/** Progress of an experiment, relative to the announced numbers; shares are 0 to 1. */
export const ExperimentProgress = z.object({
  /** Examples times repetitions. */
  expected_run_count: z.int(),
  run_progress: z.number(),
  /** By feedback key. */
  evaluator_progress: z.record(z.string(), z.number()),
})
export type ExperimentProgress = z.infer<typeof ExperimentProgress>

/**
 * A project, called session on the wire. Statistics are null unless requested: `run_count`, latencies and rates are
 * over root runs, tokens and costs over whole traces. Latencies are seconds. A project with `reference_dataset_id` is
 * an experiment; `test_run_number` counts those of its dataset, and lists always contain its `run_count`. `start_time` is
 * the earlier of its creation (or the given start) and the first start of its runs: it moves back when an earlier run arrives.
 */
export const Project = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  start_time: z.string(),
  end_time: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()).nullable(),
  reference_dataset_id: z.string().nullable(),
  default_dataset_id: z.string().nullable(),
  trace_tier: z.string().nullable(),
  last_run_start_time_live: z.string().nullable(),
  run_count: z.int().nullable().optional(),
  latency_p50: z.number().nullable().optional(),
  latency_p99: z.number().nullable().optional(),
  first_token_p50: z.number().nullable().optional(),
  first_token_p99: z.number().nullable().optional(),
  total_tokens: z.int().nullable().optional(),
  prompt_tokens: z.int().nullable().optional(),
  completion_tokens: z.int().nullable().optional(),
  total_cost: z.string().nullable().optional(),
  prompt_cost: z.string().nullable().optional(),
  completion_cost: z.string().nullable().optional(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.string().nullable().optional(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable().optional(),
  last_run_start_time: z.string().nullable().optional(),
  feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  session_feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  run_facets: z.array(z.record(z.string(), z.unknown())).nullable().optional(),
  error_rate: z.number().nullable().optional(),
  streaming_rate: z.number().nullable().optional(),
  test_run_number: z.int().nullable().optional(),
  /** Null when the number of examples was not announced. */
  experiment_progress: ExperimentProgress.nullable().optional(),
})
export type Project = z.infer<typeof Project>

const MAX_EXPECTED = 1_000_000
const hint = <Shape extends z.ZodType>(shape: Shape) => shape.nullish().catch(undefined)

export const ProjectCreate = z.object({
  name: repairedText(1000).min(1),
  id: Uuid.nullish(),
  description: repairedText().nullish(),
  extra,
  reference_dataset_id: Uuid.nullish(),
  default_dataset_id: Uuid.nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
  trace_tier: identifierText().nullish(),
  /** Announced numbers of an experiment, used only for `experiment_progress`. Invalid values are ignored. */
  num_examples: hint(z.int().min(0).max(MAX_EXPECTED)),
  num_repetitions: hint(z.int().min(1).max(MAX_EXPECTED)),
  evaluator_keys: hint(z.array(z.string().max(180)).max(1000)),
})
export type ProjectCreate = z.output<typeof ProjectCreate>

/**
 * Null fields stay unchanged; `extra` merges at its top level and in `metadata`. Keys in `removed_metadata` are
 * removed, except those that `extra` sets in the same call. `removed_metadata` is an extension.
 */
export const ProjectUpdate = z.object({
  name: repairedText(1000).min(1).nullish(),
  description: repairedText().nullish(),
  extra,
  removed_metadata: z.array(z.string().max(1000)).max(1000).nullish(),
  default_dataset_id: Uuid.nullish(),
  end_time: Time.nullish(),
  trace_tier: identifierText().nullish(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z
    .object({
      name: z.string(),
      description: z.string().nullable(),
      /** Members of `extra`, and of its `metadata` single keys; null for a missing one. Others may have any value. */
      extra: z.looseObject({ metadata: z.record(z.string(), z.unknown()).nullish() }),
    })
    .partial()
    .nullish(),
})
export type ProjectUpdate = z.output<typeof ProjectUpdate>

export const PROJECT_SORTS = [
  'name',
  'start_time',
  'last_run_start_time',
  'latency_p50',
  'latency_p99',
  'error_rate',
  'feedback',
  'runs_count',
] as const

const statistics = {
  include_stats: QueryFlag.default(false),
  /** Statistics include only runs that started at or after this time. */
  stats_start_time: Time.optional(),
  /** Statistics are over the roots that satisfy this filter, with the usage of their traces. */
  stats_filter: z.string().optional(),
  /** Names of statistics to return. */
  stats_select: queryList(z.string()),
  /** Adds `run_facets` to the statistics. */
  facets: QueryFlag.default(false),
}

/** Filter fields of projects. */
export const PROJECT_FILTERS: FilterSurface = {
  fields: {
    id: { type: 'id', doc: 'The project.' },
    name: { type: 'text', doc: 'Its name.' },
    description: { type: 'text', doc: 'Its description; absent when it has none.' },
    start_time: { type: 'time', doc: 'When it began.' },
    end_time: { type: 'time', doc: 'When it ended; absent while it goes on.' },
    reference_dataset_id: { type: 'id', doc: 'The dataset of an experiment; absent on others.' },
    metadata: { type: 'metadata', doc: 'Its metadata as a whole.' },
  },
  roots: ['metadata'],
  fullText: false,
}

export const ProjectListQuery = z.object({
  id: queryList(Uuid),
  name: z.string().optional(),
  name_contains: z.string().optional(),
  reference_dataset: queryList(Uuid),
  reference_free: QueryFlag.optional(),
  /** A JSON object as text; matches projects whose `extra.metadata` contains it. */
  metadata: z.string().optional(),
  /** Experiments with this `metadata.dataset_version`, compared as times where both are. */
  dataset_version: z.string().optional(),
  sort_by: z.enum(PROJECT_SORTS).catch('start_time').default('start_time'),
  sort_by_desc: QueryFlag.default(true),
  /** Feedback key for `sort_by=feedback`, and whether feedback of the runs or of the project. */
  sort_by_feedback_key: z.string().optional(),
  sort_by_feedback_source: z.enum(['session', 'run']).catch('run').default('run'),
  /** Filter language over `PROJECT_FILTERS`. */
  filter: z.string().optional(),
  ...statistics,
  ...offsetPage,
})
export type ProjectListQuery = z.output<typeof ProjectListQuery>
export type ProjectStatsQuery = Pick<ProjectListQuery, keyof typeof statistics>

const projectId = z.object({ session_id: Uuid })

export const projectRoutes = describeRoutes(routes.projects, 'projects', {
  create: {
    summary: 'Create a project; with `upsert`, or return and update the one of that name',
    query: z.object({ upsert: QueryFlag.default(false) }),
    body: ProjectCreate,
    answer: Project,
  },
  list: {
    summary: 'Projects of the workspace',
    query: ProjectListQuery,
    answer: z.array(Project),
  },
  read: {
    summary: 'One project',
    params: projectId,
    query: z.object(statistics),
    answer: Project,
  },
  update: {
    summary: 'Rename, describe or end a project',
    params: projectId,
    body: ProjectUpdate,
    answer: Project,
  },
  delete: {
    summary: 'Delete a project with its runs and feedback',
    params: projectId,
    status: 202,
  },
  deleteMany: {
    summary: 'Delete several projects',
    query: z.object({ session_ids: queryList(Uuid) }),
    status: 202,
  },
})
