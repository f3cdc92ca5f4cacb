import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure } from '#lib/errors/describe-failure.ts'

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
