import { z } from 'zod'
import * as routes from '../routes.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { TimeZone } from '../wire/time-zone.ts'
import { RunConditions } from './runs.ts'
import { RUN_GROUPINGS, RunFacet } from './stats.ts'

/** Lengths of a bucket: minutes, hours, days, weeks (from Monday) and months of the time zone asked for. */
export const BUCKETS = ['1m', '5m', '15m', '30m', '1h', '3h', '6h', '12h', '1d', '1w', '1M'] as const
export type Bucket = (typeof BUCKETS)[number]

/** Buckets that a requested length may cut the window into; a query with more is refused. */
export const MAX_SERIES_BUCKETS = 5000

const RunsByBucket = RunConditions.extend({
  /**
   * Absent: the shortest that cuts the window into at most 60. A length that cuts it into more than 5,000 is refused. An open
   * end of the window is the first or last run of the query.
   */
  bucket: z.enum(BUCKETS).nullish(),
  /** IANA name; days, weeks and months begin at its midnight. */
  time_zone: TimeZone.default('UTC'),
})

export const RunHistogramQuery = RunsByBucket.extend({
  /** Whether to count the runs that start after `end_time`, too: those of a program whose clock is ahead. */
  count_later: z.boolean().nullish(),
})
export type RunHistogramQuery = z.output<typeof RunHistogramQuery>

/** What a series can count without repetition: threads, and users by the metadata key `user_id` or `user`. */
export const SERIES_DISTINCT = ['threads', 'users'] as const

export const RunSeriesQuery = RunsByBucket.extend({
  group_by: z
    .object({
      attribute: z.enum(RUN_GROUPINGS),
      path: z.string().nullish(),
      /** Groups in the answer, those with the most runs first; the rest is summed in `other`. */
      max_groups: clamped(1, 50, 5),
      offset: clamped(0, Number.MAX_SAFE_INTEGER, 0),
    })
    .refine(({ attribute, path }) => attribute !== 'metadata' || Boolean(path), {
      message: 'grouping by metadata needs path, the key',
      path: ['path'],
    })
    .nullish(),
  /** Keys of feedback whose mean is wanted per bucket. */
  feedback_keys: z.array(z.string()).max(20).nullish(),
  /** Distinct values to count. They are read from the runs themselves, which takes longer than the other figures. */
  distinct: z.array(z.enum(SERIES_DISTINCT)).nullish(),
})
export type RunSeriesQuery = z.output<typeof RunSeriesQuery>

const seriesFigures = {
  run_count: z.int(),
  error_count: z.int(),
  latency_p50: z.number().nullable(),
  latency_p95: z.number().nullable(),
  latency_p99: z.number().nullable(),
  first_token_p50: z.number().nullable(),
  first_token_p99: z.number().nullable(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_cost: z.number().nullable(),
  completion_cost: z.number().nullable(),
  total_cost: z.number().nullable(),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.number().nullable(),
  /** Model calls that were charged for more than tokens, such as searches: `total_cost` is without these fees. Null: none. */
  unpriced_fees: z.int().nullable(),
  feedback: z.record(z.string(), z.object({ n: z.int(), avg: z.number().nullable() })),
  /** Null unless `distinct` names it. Runs without a thread or a user do not count. */
  thread_count: z.int().nullable(),
  user_count: z.int().nullable(),
}

/** Latencies are seconds; costs are US dollars, null when no price is known; a mean of nothing is null. */
export const SeriesFigures = z.object(seriesFigures)
export type SeriesFigures = z.infer<typeof SeriesFigures>

/** One bucket. */
export const SeriesPoint = z.object({ time: z.string(), ...seriesFigures })
export type SeriesPoint = z.infer<typeof SeriesPoint>

const line = { run_count: z.int(), total: SeriesFigures, points: z.array(SeriesPoint) }

/**
 * Buckets without runs have no point. `group` is null for the runs that lack the attribute. Each `total` is computed over
 * all runs of its time range: percentiles, rates and distinct values of buckets cannot be added up.
 */
export const RunSeries = z.object({
  bucket: z.enum(BUCKETS),
  time_zone: z.string(),
  /** Groups there are; 1 when the query does not group. */
  total_groups: z.int(),
  /** Every run of the query once, also when it is in several groups. */
  total: SeriesFigures,
  series: z.array(z.object({ group: z.string().nullable(), ...line })),
  /** All groups that are not in `series`, together; null when there are none. A run in several of them counts for each. */
  other: z.object(line).nullable(),
})
export type RunSeries = z.infer<typeof RunSeries>

export const RunHistogram = z.object({
  bucket: z.enum(BUCKETS),
  time_zone: z.string(),
  buckets: z.array(
    z.object({ time: z.string(), success: z.int(), error: z.int(), pending: z.int(), interrupted: z.int() }),
  ),
  /** Matching runs that start after `end_time`; absent unless asked for with `count_later`. */
  later_count: z.int().optional(),
})
export type RunHistogram = z.infer<typeof RunHistogram>

/** `error`: type and message of the error, with `#` for ids and numbers, as in `RunErrors`. */
export const FACETS = ['run_type', 'status', 'name', 'model', 'tag', 'metadata_key', 'error'] as const

export const RunFacetsQuery = RunConditions.extend({
  /** @default all but `error` */
  facets: z.array(z.enum(FACETS)).nullish(),
  /** Keys of metadata whose values are counted, too. */
  metadata_keys: z.array(z.string()).max(20).nullish(),
  /** Values per attribute, the most frequent first. */
  limit: clamped(1, 1000, 20),
  /** Only values that contain this text, in any case. */
  contains: z.string().nullish(),
})
export type RunFacetsQuery = z.output<typeof RunFacetsQuery>

/** `total` counts the values there are, so that a reader sees whether the list is cut; `errors` how many of the runs failed. */
export const RunFacets = z.object({
  facets: z.array(z.object({ key: z.string(), total: z.int(), values: z.array(RunFacet.extend({ errors: z.int() })) })),
})
export type RunFacets = z.infer<typeof RunFacets>

export const runSeriesRoutes = describeRoutes(routes.runSeries, 'runs', {
  series: {
    extension: true,
    summary: 'Figures over time, by group if asked',
    body: RunSeriesQuery,
    answer: RunSeries,
  },
  histogram: {
    extension: true,
    summary: 'Runs over time by outcome',
    body: RunHistogramQuery,
    answer: RunHistogram,
  },
  facets: {
    extension: true,
    summary: 'Values of attributes among the runs of a query, with counts',
    body: RunFacetsQuery,
    answer: RunFacets,
  },
})
