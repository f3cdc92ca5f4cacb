import { QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure } from '#lib/describe-failure.ts'

/** What every route's loader gets. */
export interface RouterContext {
  queryClient: QueryClient
}

/** @param onUnauthenticated  called when any read is refused for want of a valid key */
export function createQueryClient(onUnauthenticated: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (describeFailure(error).status === 401) onUnauthenticated()
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        // The SDK has retried what may pass by the time a failure arrives here.
        retry: false,
        refetchOnWindowFocus: false,
      },
    },
  })
}
