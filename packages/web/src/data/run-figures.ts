import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Bucket, RunFacets, RunHistogram, RunStats } from '@touchstone/sdk'
import type { Bounds } from '#lib/time/time-range.ts'
import { client } from './client.ts'
import { conditionsOf, type RunsView } from './runs.ts'

type View = Pick<RunsView, 'projectId' | 'scope' | 'filters'>

/** How often figures beside a live list are counted anew. */
export const FIGURES_LIVE_MS = 30_000

/** Runs over time, and the window that the bars divide. */
export interface RunsOverTime extends RunHistogram {
  bucketMs: number
  fromMs: number
  toMs: number
  /** Runs in all. */
  count: number
}

/** Figures over the runs that a list shows, all of them and not only those that are loaded. */
export const runFigures = {
  histogram: (view: View, bounds: Bounds) =>
    queryOptions({
      queryKey: ['runs', view.projectId, 'histogram', keyOf(view), bounds],
      queryFn: async ({ signal }) => {
        const nowMs = Date.now()
        const to = bounds.to ?? new Date(nowMs).toISOString()
        const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
        const body = { ...conditionsOf(view, { ...bounds, to }), time_zone }
        return overTime(await client.queryRunHistogram(body, { signal }), bounds.from, Date.parse(to))
      },
      staleTime: FIGURES_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),

  /** @param metadataKeys  keys of metadata whose values are wanted, too */
  facets: (view: View, bounds: Bounds, metadataKeys: readonly string[]) =>
    queryOptions({
      queryKey: ['runs', view.projectId, 'facets', keyOf(view), bounds, metadataKeys],
      queryFn: ({ signal }): Promise<RunFacets> =>
        client.queryRunFacets(
          { ...conditionsOf(view, bounds), metadata_keys: [...metadataKeys], limit: 20 },
          { signal },
        ),
      staleTime: FIGURES_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),

  /** Keys of feedback with how many records there are and their mean. */
  feedback: (view: View, bounds: Bounds) =>
    queryOptions({
      queryKey: ['runs', view.projectId, 'feedback-keys', keyOf(view), bounds],
      queryFn: async ({ signal }) => {
        const body = { ...conditionsOf(view, bounds), select: ['feedback_stats'] }
        return ((await client.queryRunStats(body, { signal })) as RunStats).feedback_stats ?? {}
      },
      staleTime: FIGURES_LIVE_MS,
      placeholderData: keepPreviousData,
      retry: false,
      meta: { quiet: true },
    }),
}

/** Columns and sorting do not change figures. */
function keyOf({ scope, filters }: View) {
  return { scope, filters }
}

function overTime(histogram: RunHistogram, from: string | undefined, toMs: number): RunsOverTime {
  const bucketMs = BUCKET_MS[histogram.bucket]
  const times = histogram.buckets.map(({ time }) => Date.parse(time))
  const fromMs = from === undefined ? (times[0] ?? toMs - bucketMs) : Date.parse(from)
  const count = histogram.buckets.reduce((sum, one) => sum + one.success + one.error + one.pending + one.interrupted, 0)
  return {
    ...histogram,
    bucketMs,
    fromMs: Math.min(fromMs, times[0] ?? fromMs),
    toMs: Math.max(toMs, fromMs + 1),
    count,
  }
}

const MINUTE = 60_000
const DAY = 86_400_000
/** A month counts as 30 days: what is drawn is a bar, not a calendar. */
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
