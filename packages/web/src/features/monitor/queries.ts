import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Bucket, RunGrouping, SERIES_DISTINCT } from '@touchstone/contract'
import type { RunStats } from '@touchstone/sdk'
import { toRunConditions } from '#features/runs/queries.ts'
import { client } from '#lib/api/client.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { type Bounds, toBounds } from '#lib/time/time-range.ts'

/** The runs of a chart. */
export interface ChartRuns {
  projectId: string
  scope: 'traces' | 'runs'
  filters: Filters
}

export interface SeriesOptions {
  group?: RunGrouping | undefined
  feedbackKeys?: readonly string[] | undefined
  /** What to count without repetition, which takes longer. */
  distinct?: readonly (typeof SERIES_DISTINCT)[number][] | undefined
  /** Absent: chosen by the server. */
  bucket?: Bucket | undefined
}

/** Groups with their own line. */
export const MAX_GROUPS = 6
const MAX_ERRORS = 20
const MAX_LISTED_GROUPS = 50

export const monitorQuery = {
  inProject: (projectId: string) => ['monitor', projectId] as const,
  /** The bounds of a time range, computed once so that all charts and links of a page show the same runs. */
  range: (projectId: string, t: string) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(projectId), 'range', t],
      queryFn: () => toChartRange(t),
      initialData: () => toChartRange(t),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** Values over time. With a grouping: the largest groups, and the rest as one group. */
  series: (runs: ChartRuns, bounds: Bounds, options: SeriesOptions = {}) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'series', runs, bounds, options],
      queryFn: ({ signal }) =>
        client.queryRunSeries(
          {
            ...toRunConditions(runs, bounds),
            ...(options.bucket && { bucket: options.bucket }),
            time_zone: ZONE,
            ...(options.group && { group_by: { ...toGroupBy(options.group), max_groups: MAX_GROUPS } }),
            ...(options.feedbackKeys?.length && { feedback_keys: [...options.feedbackKeys] }),
            ...(options.distinct?.length && { distinct: [...options.distinct] }),
          },
          { signal },
        ),
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** The groups without their own line. */
  otherGroups: (runs: ChartRuns, bounds: Bounds, group: RunGrouping, bucket: Bucket) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'other-groups', runs, bounds, group],
      queryFn: ({ signal }) =>
        client.queryRunSeries(
          {
            ...toRunConditions(runs, bounds),
            bucket,
            time_zone: ZONE,
            group_by: { ...toGroupBy(group), max_groups: MAX_LISTED_GROUPS, offset: MAX_GROUPS },
          },
          { signal },
        ),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** The most frequent errors by type and message. */
  errors: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'errors', runs, bounds],
      queryFn: ({ signal }) =>
        client.queryRunErrors({ ...toRunConditions(runs, bounds), limit: MAX_ERRORS }, { signal }),
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** Keys of numeric feedback on the runs, the most frequent first. */
  feedbackKeys: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'feedback-keys', runs, bounds],
      queryFn: async ({ signal }) => {
        const body = { ...toRunConditions(runs, bounds), select: ['feedback_stats'] }
        const { feedback_stats } = (await client.queryRunStats(body, { signal })) as {
          feedback_stats?: Record<string, { n: number; avg: number | null }> | null
        }
        return Object.entries(feedback_stats ?? {})
          .filter(([, stat]) => stat.avg !== null)
          .sort(([, one], [, other]) => other.n - one.n)
          .map(([key]) => key)
      },
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** Metadata keys of the runs, to group by. */
  metadataKeys: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'metadata-keys', runs, bounds],
      queryFn: async ({ signal }) => {
        const body = { ...toRunConditions(runs, bounds), facets: ['metadata_key' as const], limit: 40 }
        const { facets } = await client.queryRunFacets(body, { signal })
        return (facets[0]?.values ?? []).map(({ value }) => value)
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  /** How many runs start after the range, which ends now: they are in no chart. */
  future: (runs: ChartRuns, { nowMs }: ChartRange) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(runs.projectId), 'future', runs, nowMs],
      queryFn: async ({ signal }) => {
        // Both ends of a range are inclusive.
        const from = new Date(nowMs + 1).toISOString()
        const body = { ...toRunConditions(runs, { from }), select: ['run_count'] }
        return ((await client.queryRunStats(body, { signal })) as RunStats).run_count ?? 0
      },
      staleTime: Number.POSITIVE_INFINITY,
      meta: { quiet: true },
    }),

  /** Start of the latest run of the project, for empty pages. */
  lastRun: (projectId: string) =>
    queryOptions({
      queryKey: [...monitorQuery.inProject(projectId), 'last-run'],
      queryFn: async ({ signal }) => {
        const query = { session: [projectId], limit: 1, select: ['id', 'start_time'] }
        return (await client.queryRuns(query, { signal })).runs[0]?.start_time ?? null
      },
    }),
}

export interface ChartRange {
  /** Both ends are set: later runs are in no chart and in no list that a chart links to. */
  bounds: Bounds
  /** The time when the bounds were computed. */
  nowMs: number
}

function toChartRange(t: string): ChartRange {
  const nowMs = Date.now()
  const { from, to = new Date(nowMs).toISOString() } = toBounds(t, nowMs)
  return { bounds: { from, to }, nowMs }
}

/** The API takes absent instead of null. */
function toGroupBy({ attribute, path }: RunGrouping) {
  return { attribute, ...(path && { path }) }
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
