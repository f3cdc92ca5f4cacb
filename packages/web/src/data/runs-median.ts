import { queryOptions } from '@tanstack/react-query'
import type { RunStats } from '@touchstone/sdk'
import { client } from './client.ts'

const DAY_MS = 86_400_000

/** How long the runs of a name took within the last 24 hours: the median in milliseconds, and how many they were. */
export const medianQuery = (projectId: string, name: string) =>
  queryOptions({
    queryKey: ['run-median', projectId, name],
    queryFn: async ({ signal }) => {
      const stats = (await client.queryRunStats(
        {
          session: [projectId],
          filter: `eq(name, ${JSON.stringify(name)})`,
          start_time: new Date(Date.now() - DAY_MS).toISOString(),
          select: ['run_count', 'latency_p50'],
        },
        { signal },
      )) as RunStats
      const { run_count: count = 0, latency_p50: seconds } = stats
      return { count, ms: typeof seconds === 'number' ? seconds * 1000 : undefined }
    },
    staleTime: 5 * 60_000,
    meta: { quiet: true },
  })
