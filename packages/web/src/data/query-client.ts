import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure } from '#lib/errors/describe-failure.ts'

/** What every route's loader gets. */
export interface RouterContext {
  queryClient: QueryClient
}

/** @param onUnauthenticated  called when anything is refused for want of a valid key */
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
        // The SDK has retried what may pass by the time a failure arrives here.
        retry: false,
        refetchOnWindowFocus: false,
      },
    },
  })
}
