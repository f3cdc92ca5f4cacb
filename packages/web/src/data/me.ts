import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { Me, Role } from '@touchstone/sdk'
import { isAtLeast } from '#lib/accounts/roles.ts'
import { client } from './client.ts'

export const meQuery = {
  /** Whom this browser speaks for: a person, a key, or, on an open server, whoever sits here. */
  current: () =>
    queryOptions({
      queryKey: ['me'],
      queryFn: ({ signal }) => client.readMe({ signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
}

/** Whether what takes this role should be offered. The server decides; until it said who this is, everything is. */
export function useMay(least: Role): boolean {
  const { data } = useQuery(meQuery.current())
  return data === undefined || isAtLeast(data.role, least)
}

/** Whom this browser was known to speak for, also after the server has forgotten them. */
export function knownMe(queryClient: QueryClient): Me | undefined {
  return queryClient.getQueryData(meQuery.current().queryKey)
}
