import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure } from '#lib/errors.ts'

/** The context of every route's loader. */
export interface RouterContext {
  queryClient: QueryClient
}

/** @param onUnauthenticated  called when a request fails because the caller is not signed in */
export function createQueryClient(onUnauthenticated: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (describeFailure(error).status === 401) onUnauthenticated()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        // The SDK has already retried.
        retry: false,
        refetchOnWindowFocus: false,
      },
    },
  })
}

/**
 * Root keys of the nouns whose cached data other nouns change. They stand apart from the queries, so that a page that
 * invalidates a noun does not load its client.
 */
export const queryKeys = {
  runs: () => ['runs'] as const,
  runsOfProject: (projectId: string) => [...queryKeys.runs(), projectId] as const,
  run: (runId: string) => ['run', runId] as const,
  trace: (traceId: string) => ['trace', traceId] as const,
  threads: () => ['threads'] as const,
  threadsOfProject: (projectId: string) => [...queryKeys.threads(), projectId] as const,
  threadListsOfProject: (projectId: string) => [...queryKeys.threadsOfProject(projectId), 'list'] as const,
  projects: () => ['projects'] as const,
  datasets: () => ['datasets'] as const,
  examples: () => ['examples'] as const,
  queues: () => ['queues'] as const,
}
