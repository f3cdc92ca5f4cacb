import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Bucket, RunGrouping } from '@touchstone/contract'
import type { Filters } from '#lib/filter/chips.ts'
import { type Bounds, boundsOf } from '#lib/time/time-range.ts'
import { client } from './client.ts'
import { conditionsOf } from './runs.ts'

/** Which runs a chart is about. */
export interface ChartRuns {
  projectId: string
  scope: 'traces' | 'runs'
  filters: Filters
}

/** Groups with a line of their own. */
export const MOST_GROUPS = 6
const MOST_ERRORS = 20
const MOST_LISTED_GROUPS = 50

export const monitorQuery = {
  /** Where a time range begins and ends, counted once: every chart and link of a page means the same runs. */
  window: (projectId: string, t: string) =>
    queryOptions({
      queryKey: ['monitor', projectId, 'window', t],
      queryFn: () => anchored(t),
      initialData: () => anchored(t),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** Figures over time; by group, the largest first and the rest together. */
  series: (
    runs: ChartRuns,
    bounds: Bounds,
    how: { group?: RunGrouping | undefined; feedbackKeys?: readonly string[]; bucket?: Bucket | undefined } = {},
  ) =>
    queryOptions({
      queryKey: ['monitor', runs.projectId, 'series', runs, bounds, how],
      queryFn: ({ signal }) =>
        client.queryRunSeries(
          {
            ...conditionsOf(runs, bounds),
            ...(how.bucket && { bucket: how.bucket }),
            time_zone: ZONE,
            ...(how.group && { group_by: { ...groupBy(how.group), max_groups: MOST_GROUPS } }),
            ...(how.feedbackKeys?.length && { feedback_keys: [...how.feedbackKeys] }),
          },
          { signal },
        ),
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** The groups that have no line of their own. */
  otherGroups: (runs: ChartRuns, bounds: Bounds, group: RunGrouping, bucket: Bucket) =>
    queryOptions({
      queryKey: ['monitor', runs.projectId, 'other-groups', runs, bounds, group],
      queryFn: ({ signal }) =>
        client.queryRunSeries(
          {
            ...conditionsOf(runs, bounds),
            bucket,
            time_zone: ZONE,
            group_by: { ...groupBy(group), max_groups: MOST_LISTED_GROUPS, offset: MOST_GROUPS },
          },
          { signal },
        ),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** The most frequent first lines of errors. */
  errors: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: ['monitor', runs.projectId, 'errors', runs, bounds],
      queryFn: async ({ signal }) => {
        const body = { ...conditionsOf(runs, bounds), error: true, facets: ['error' as const], limit: MOST_ERRORS }
        const { facets } = await client.queryRunFacets(body, { signal })
        return { errors: facets[0]?.values ?? [], total: facets[0]?.total ?? 0 }
      },
      placeholderData: keepPreviousData,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** Keys of numeric feedback among the runs, the most frequent first. */
  feedbackKeys: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: ['monitor', runs.projectId, 'feedback-keys', runs, bounds],
      queryFn: async ({ signal }) => {
        const body = { ...conditionsOf(runs, bounds), select: ['feedback_stats'] }
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

  /** Keys of metadata among the runs, to group by. */
  metadataKeys: (runs: ChartRuns, bounds: Bounds) =>
    queryOptions({
      queryKey: ['monitor', runs.projectId, 'metadata-keys', runs, bounds],
      queryFn: async ({ signal }) => {
        const body = { ...conditionsOf(runs, bounds), facets: ['metadata_key' as const], limit: 40 }
        const { facets } = await client.queryRunFacets(body, { signal })
        return (facets[0]?.values ?? []).map(({ value }) => value)
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  /** When the project was last heard of, for a page that has nothing to show. */
  lastRun: (projectId: string) =>
    queryOptions({
      queryKey: ['monitor', projectId, 'last-run'],
      queryFn: async ({ signal }) => {
        const query = { session: [projectId], limit: 1, select: ['id', 'start_time'] }
        return (await client.queryRuns(query, { signal })).runs[0]?.start_time ?? null
      },
    }),
}

export interface Window {
  /** Closed at the end: what comes later is in no chart and in no list that one leads to. */
  bounds: Bounds
  /** The present, when it was counted. */
  nowMs: number
}

function anchored(t: string): Window {
  const nowMs = Date.now()
  const { from, to = new Date(nowMs).toISOString() } = boundsOf(t, nowMs)
  return { bounds: { from, to }, nowMs }
}

/** Without what is null: absent says the same. */
function groupBy({ attribute, path }: RunGrouping) {
  return { attribute, ...(path && { path }) }
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
