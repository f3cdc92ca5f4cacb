import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { Me, Role } from '@touchstone/sdk'
import { AccountCalls, clientOf } from '@touchstone/sdk/api'
import { isAtLeast } from '#lib/roles.ts'
import { writeKey } from './api-key.ts'
import { connection } from './client.ts'

export const client = clientOf(connection, AccountCalls)

export const meQuery = {
  /** Whom this browser speaks for: a person, a key, or, on an open server, whoever sits here. */
  current: () =>
    queryOptions({
      queryKey: ['me'],
      queryFn: ({ signal }) => client.readMe({ signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
  /** Whether the server is open, set up, or waits to be; readable by anybody. */
  door: () =>
    queryOptions({ queryKey: ['door'], queryFn: ({ signal }) => client.readAuthState({ signal }), staleTime: 0 }),
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

/** Forgets who this was, here and on the server, and leaves for the door: nothing that was read stays in memory. */
export async function leave(): Promise<void> {
  await client.signOut().catch(() => undefined) // a server that is gone cannot keep anybody in
  writeKey(undefined)
  location.assign('/login')
}
