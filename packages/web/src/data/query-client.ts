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
        retry: (failures, error) => failures < 2 && mayHeal(describeFailure(error).status),
        refetchOnWindowFocus: false,
      },
    },
  })
}

/** No answer at all, or a failure of the server, may pass; a refusal will not. */
function mayHeal(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 429
}
