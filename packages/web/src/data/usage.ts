import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { clientOf, UsageCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, UsageCalls)

export const usageQuery = {
  /** What was recorded in the last days, of one project where it is given. */
  report: (days: number, projectId?: string) =>
    queryOptions({
      queryKey: ['usage', days, projectId ?? 'all'],
      queryFn: ({ signal }) => client.readUsage({ days, projectId }, { signal }),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  /** Free disk and the size of each store; admins may ask. */
  storage: () =>
    queryOptions({
      queryKey: ['usage', 'storage'],
      queryFn: ({ signal }) => client.readStorage({ signal }),
      staleTime: 60_000,
    }),
}
