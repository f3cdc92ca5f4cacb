import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { SpendingLimits } from '@touchstone/sdk'
import { clientOf, SpendingCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, SpendingCalls)

export const spendingQuery = {
  all: () => ['spending'] as const,
  /** What this month's calls of models cost, and the limits. */
  current: () =>
    queryOptions({
      queryKey: [...spendingQuery.all(), 'current'],
      queryFn: ({ signal }) => client.readSpending({ signal }),
    }),
}

export const spendingMutation = {
  setLimits: (queryClient: QueryClient) => ({
    mutationFn: (limits: SpendingLimits) => client.setSpendingLimits(limits),
    // Also after a failure: others may have changed a limit.
    onSettled: () => queryClient.invalidateQueries({ queryKey: spendingQuery.all() }),
  }),
}
