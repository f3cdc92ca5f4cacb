import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { clientOf, UsageCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { projectQuery } from '../queries.ts'

const client = clientOf(connection, UsageCalls)

/** Bars of a sparkline. */
const ACTIVITY_BUCKETS = 24

/** Traces and failed traces in equal parts of a time range, oldest first. */
export interface Activity {
  traces: readonly number[]
  errors: readonly number[]
}

export const usageQuery = {
  /** Recorded amounts of the last days, of all projects or of one. */
  report: (days: number, projectId?: string) =>
    queryOptions({
      queryKey: ['usage', 'report', days, projectId ?? 'all'],
      queryFn: ({ signal }) => client.readUsage({ days, projectId }, { signal }),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  /** Tokens and costs of the last days by model, of all projects or of one. */
  models: (days: number, projectId?: string) =>
    queryOptions({
      queryKey: ['usage', 'models', days, projectId ?? 'all'],
      queryFn: ({ signal }) => client.readModelUsage({ days, projectId }, { signal }),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  /** Free disk space and the size of each store. Admins only. */
  storage: () =>
    queryOptions({
      queryKey: ['usage', 'storage'],
      queryFn: ({ signal }) => client.readStorage({ signal }),
      staleTime: 60_000,
    }),
  /**
   * Traces and failed traces over time of every project, by id.
   *
   * @param range  the time range that `since` was computed from; part of the cache key, because `since` changes all the time
   */
  activity: (since: string, range: string) =>
    queryOptions({
      queryKey: [...projectQuery.all(), 'activity', range],
      queryFn: async ({ signal }) => {
        const { projects } = await client.readProjectActivity({ since, buckets: ACTIVITY_BUCKETS }, { signal })
        const toActivity = (project: (typeof projects)[number]): Activity => ({
          traces: project.trace_counts,
          errors: project.error_counts,
        })
        return new Map(projects.map((project) => [project.session_id, toActivity(project)]))
      },
      staleTime: 30_000,
    }),
}
