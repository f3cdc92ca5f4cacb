import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Bucket, Run, RunFacets, RunHistogram, RunStats, RunValues } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import type { JsonPath } from '#lib/json/json-path.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import { type RunsView, toRunConditions } from './queries.ts'

type View = Pick<RunsView, 'projectId' | 'scope' | 'filters'>

/** Refresh interval of the statistics beside a live list. */
export const STATS_LIVE_MS = 30_000

/** Runs over time, with the time range of the bars. */
export interface RunsOverTime extends RunHistogram {
  bucketMs: number
  fromMs: number
  toMs: number
  /** Number of all runs, with those in the future. */
  count: number
  /** Runs that start after the last bar: the clock of their program is ahead. They are in no bar. */
  futureCount: number
}

/** Statistics over all runs that match a list, not only the loaded ones. */
export const runStatsQuery = {
  histogram: (view: View, bounds: Bounds) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'histogram', toKey(view), bounds],
      queryFn: async ({ signal }) => {
        const to = bounds.to ?? new Date().toISOString()
        const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
        const count_later = bounds.to === undefined
        const body = { ...toRunConditions(view, { ...bounds, to }), time_zone, count_later }
        const histogram = await client.queryRunHistogram(body, { signal })
        return toRunsOverTime(histogram, { from: bounds.from, toMs: Date.parse(to) })
      },
      staleTime: STATS_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),

  /** @param metadataKeys  metadata keys to count the values of */
  facets: (view: View, bounds: Bounds, metadataKeys: readonly string[]) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'facets', toKey(view), bounds, metadataKeys],
      queryFn: ({ signal }): Promise<RunFacets> =>
        client.queryRunFacets(
          { ...toRunConditions(view, bounds), metadata_keys: [...metadataKeys], limit: 20 },
          { signal },
        ),
      staleTime: STATS_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),

  /** Feedback keys with the number of records and their mean. */
  feedback: (view: View, bounds: Bounds) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'feedback-keys', toKey(view), bounds],
      queryFn: async ({ signal }) => {
        const body = { ...toRunConditions(view, bounds), select: ['feedback_stats'] }
        return ((await client.queryRunStats(body, { signal })) as RunStats).feedback_stats ?? {}
      },
      staleTime: STATS_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),

  /** Values at some paths of up to 100 runs, read again for runs that have finished since. */
  values: (runs: readonly Pick<Run, 'id' | 'status'>[], paths: readonly JsonPath[]) =>
    queryOptions({
      queryKey: ['run-values', runs.map(({ id, status }) => (status === 'pending' ? `${id}…` : id)), paths],
      queryFn: ({ signal }) =>
        client.queryRunValues({ id: runs.map(({ id }) => id), paths: paths as RunValuePaths }, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      meta: { quiet: true },
    }),

  /** Median latency in ms and number of the runs with this name in the last 24 hours. */
  median: (projectId: string, name: string) =>
    queryOptions({
      queryKey: ['run-median', projectId, name],
      queryFn: async ({ signal }) => {
        const stats = (await client.queryRunStats(
          {
            session: [projectId],
            filter: `eq(name, ${JSON.stringify(name)})`,
            start_time: new Date(Date.now() - DAY).toISOString(),
            select: ['run_count', 'latency_p50'],
          },
          { signal },
        )) as RunStats
        const { run_count: count = 0, latency_p50: seconds } = stats
        return { count, ms: typeof seconds === 'number' ? seconds * 1000 : undefined }
      },
      staleTime: 5 * 60_000,
      meta: { quiet: true },
    }),
}

/** Columns and sorting do not change statistics. */
function toKey({ scope, filters }: View) {
  return { scope, filters }
}

function toRunsOverTime(
  histogram: RunHistogram,
  { from, toMs }: { from: string | undefined; toMs: number },
): RunsOverTime {
  const futureCount = histogram.later_count ?? 0
  const bucketMs = BUCKET_MS[histogram.bucket]
  const times = histogram.buckets.map(({ time }) => Date.parse(time))
  const fromMs = from === undefined ? (times[0] ?? toMs - bucketMs) : Date.parse(from)
  const inBars = histogram.buckets.reduce(
    (sum, one) => sum + one.success + one.error + one.pending + one.interrupted,
    0,
  )
  return {
    ...histogram,
    bucketMs,
    fromMs: Math.min(fromMs, times[0] ?? fromMs),
    toMs: Math.max(toMs, fromMs + 1),
    count: inBars + futureCount,
    futureCount,
  }
}

const MINUTE = 60_000
const DAY = 86_400_000
/** Width of a bar. A month counts as 30 days. */
const BUCKET_MS: Readonly<Record<Bucket, number>> = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '3h': 180 * MINUTE,
  '6h': 360 * MINUTE,
  '12h': DAY / 2,
  '1d': DAY,
  '1w': 7 * DAY,
  '1M': 30 * DAY,
}

/** A value in a cell; null if the run has none. */
export type CellValue = RunValues['runs'][number]['values'][number]

type RunValuePaths = Parameters<typeof client.queryRunValues>[0]['paths']
