import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import type { RunsPage } from './runs.ts'

const MOST = 200

/** Runs that lists of this visit have shown, newest first: what one is likely to look for again. */
export function loadedRuns(queryClient: QueryClient): Run[] {
  const found = new Map<string, Run>()
  for (const [key, data] of queryClient.getQueriesData<InfiniteData<RunsPage>>({ queryKey: ['runs'] })) {
    if (key[2] !== 'list') continue
    for (const run of data?.pages.flatMap((page) => page.runs) ?? []) found.set(run.id, run)
  }
  return [...found.values()]
    .sort((one, other) => (String(one.start_time) < String(other.start_time) ? 1 : -1))
    .slice(0, MOST)
}
