import { z } from 'zod'
import { FeedbackStat } from '../feedback/feedback.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, QueryFlag, queryList, shortList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { RunConditions } from './runs.ts'

/** What runs are grouped by. `path` is the key of `metadata`. A run is in the group of each of its tags. */
export const RUN_GROUPINGS = ['name', 'run_type', 'status', 'model', 'tag', 'metadata'] as const

const grouping = {
  attribute: z.enum(RUN_GROUPINGS),
  path: z.string().nullish(),
}
const hasPath = ({ attribute, path }: { attribute: string; path?: string | null | undefined }) =>
  attribute !== 'metadata' || Boolean(path)
const PATH_MISSING = { message: 'grouping by metadata needs path, the key', path: ['path'] }

export const RunGrouping = z.object(grouping).refine(hasPath, PATH_MISSING)
export type RunGrouping = z.output<typeof RunGrouping>

const nullableNumber = z.number().nullable().optional()
const decimals = z.record(z.string(), z.number()).nullable().optional()
const counts = z.record(z.string(), z.number()).nullable().optional()

/** One value of an attribute among the runs of a query, and the filter that finds the runs which have it. */
export const RunFacet = z.object({ key: z.string(), value: z.string(), query: z.string(), n: z.int() })
export type RunFacet = z.infer<typeof RunFacet>

/**
 * Figures over the runs of a query. Latencies are seconds, rates 0 to 1, costs US dollars, null when no price is known.
 * Usage is that of the runs and of all below them; where runs of the query lie below each other, usage counts for the
 * nearest, so that it is summed once.
 */
export const RunStats = z.object({
  run_count: z.int().optional(),
  latency_p50: nullableNumber,
  latency_p99: nullableNumber,
  latency_avg: nullableNumber,
  first_token_p50: nullableNumber,
  first_token_p99: nullableNumber,
  total_tokens: z.int().optional(),
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  median_tokens: nullableNumber,
  tokens_p99: nullableNumber,
  prompt_tokens_p50: nullableNumber,
  prompt_tokens_p99: nullableNumber,
  completion_tokens_p50: nullableNumber,
  completion_tokens_p99: nullableNumber,
  last_run_start_time: z.string().nullable().optional(),
  error_rate: nullableNumber,
  streaming_rate: nullableNumber,
  total_cost: nullableNumber,
  prompt_cost: nullableNumber,
  completion_cost: nullableNumber,
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: nullableNumber,
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable().optional(),
  cost_p50: nullableNumber,
  cost_p99: nullableNumber,
  feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  thread_feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  session_feedback_stats: z.record(z.string(), FeedbackStat).nullable().optional(),
  run_facets: z.array(RunFacet).nullable().optional(),
  prompt_token_details: counts,
  completion_token_details: counts,
  prompt_cost_details: decimals,
  completion_cost_details: decimals,
  /** Groups there are, whether or not they are in the answer. */
  group_count: z.int().optional(),
})
export type RunStats = z.infer<typeof RunStats>

export const RunStatsQuery = RunConditions.extend({
  /** Names of figures; absent means all of the ordinary ones. Names that are not known are ignored. */
  select: shortList(z.string(), 1000).nullish(),
  group_by: z
    .object({ ...grouping, max_groups: clamped(1, 1000, 5) })
    .refine(hasPath, PATH_MISSING)
    .nullish(),
  /** Only these groups. */
  groups: shortList(z.string().nullable(), 1000).nullish(),
  include_details: z.boolean().nullish(),
  /** Runs of the experiments of that dataset; together with `session`, of those among them. */
  reference_dataset_id: Uuid.nullish(),
})
export type RunStatsQuery = z.output<typeof RunStatsQuery>

export const ThreadGroupQuery = z.object({
  session_id: Uuid,
  group_by: z.literal('conversation'),
  filter: z.string().nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
  limit: clamped(1, 100, 10),
  offset: clamped(0, Number.MAX_SAFE_INTEGER, 0),
})
export type ThreadGroupQuery = z.output<typeof ThreadGroupQuery>

/** The traces of one conversation. Times and latencies are those of the roots, usage that of whole traces. */
export const ThreadGroup = z.object({
  thread_id: z.string(),
  group_key: z.string(),
  filter: z.string(),
  count: z.int(),
  total_tokens: z.int(),
  total_cost: z.number().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. An addition of ours. */
  reported_cost: z.number().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  min_start_time: z.string(),
  max_start_time: z.string(),
  latency_p50: z.number().nullable(),
  latency_p99: z.number().nullable(),
  feedback_stats: z.record(z.string(), FeedbackStat),
  first_inputs: z.string().nullable(),
  last_outputs: z.string().nullable(),
  last_error: z.string().nullable(),
})
export type ThreadGroup = z.infer<typeof ThreadGroup>

export const ThreadGroups = z.object({ groups: z.array(ThreadGroup), total: z.int() })
export type ThreadGroups = z.infer<typeof ThreadGroups>

export const THREAD_PREVIEWS = ['all_messages', 'human_ai_pairs', 'first_human_last_ai'] as const

export const ThreadPreviews = z.object({
  thread_id: z.string(),
  previews: z.object({
    all_messages: z.string().optional(),
    human_ai_pairs: z.string().optional(),
    first_human_last_ai: z.string().optional(),
  }),
})
export type ThreadPreviews = z.infer<typeof ThreadPreviews>

export const runStatsRoutes = describeRoutes(routes.runStats, 'runs', {
  stats: {
    summary: 'Figures over the runs of a query; with `group_by`, by group',
    body: RunStatsQuery,
    answer: z.union([RunStats, z.record(z.string(), RunStats)]),
  },
  group: {
    summary: 'Threads of a project, the latest first',
    body: ThreadGroupQuery,
    answer: ThreadGroups,
  },
  groupStats: {
    summary: 'Figures over the threads of a project',
    body: ThreadGroupQuery,
    answer: RunStats,
  },
  thread: {
    summary: 'What was said in a thread, in short',
    params: z.object({ thread_id: z.string() }),
    query: z.object({
      session_id: Uuid,
      select: z.preprocess(
        (value) => (value === undefined ? undefined : [value].flat()),
        z.array(z.string()).optional(),
      ),
    }),
    answer: ThreadPreviews,
  },
  projectMetadata: {
    tag: 'projects',
    summary: 'The most frequent values of metadata among the runs of a project',
    params: z.object({ session_id: Uuid }),
    query: z.object({
      /** Absent: the most frequent keys. */
      metadata_keys: queryList(z.string()),
      /** Values per key. */
      k: clamped(1, 1000, 10),
      root_runs_only: QueryFlag.default(false),
      start_time: Time.optional(),
    }),
    answer: z.record(z.string(), z.array(z.string())),
  },
})
