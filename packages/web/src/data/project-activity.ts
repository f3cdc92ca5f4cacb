import { queryOptions } from '@tanstack/react-query'
import { clientOf, UsageCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

/** Bars of a sparkline. */
const BUCKETS = 24

export const activityQuery = {
  /**
   * Traces over time of every project, by id.
   *
   * @param window  what `since` was counted from; tells one answer from another
   */
  since: (since: string, window: string) =>
    queryOptions({
      queryKey: ['projects', 'activity', window],
      queryFn: async ({ signal }) => {
        const client = clientOf(connection, UsageCalls)
        const { projects } = await client.readProjectActivity({ since, buckets: BUCKETS }, { signal })
        return new Map(projects.map((project) => [project.session_id, project.trace_counts]))
      },
      staleTime: 30_000,
    }),
}
