import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type { Me, Role } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import { isAtLeast } from '#lib/roles.ts'

export const meQuery = {
  /** The caller: a user, an API key, or an anonymous caller when authentication is disabled. */
  current: () =>
    queryOptions({
      queryKey: ['me'],
      queryFn: ({ signal }) => client.readMe({ signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
}

/** Whether to offer actions that need this role. True until the caller is loaded; the server decides anyway. */
export function useMay(least: Role): boolean {
  const { data } = useQuery(meQuery.current())
  return data === undefined || isAtLeast(data.role, least)
}

/** The caller as last read, also after the session has expired. */
export function readCachedMe(queryClient: QueryClient): Me | undefined {
  return queryClient.getQueryData(meQuery.current().queryKey)
}

export const workspaceQuery = {
  /** The current workspace. */
  current: () =>
    queryOptions({
      queryKey: ['workspace'],
      queryFn: ({ signal }) => client.getSettings({ signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  /** Version, limits and features of the server. Readable without signing in. */
  info: () =>
    queryOptions({
      queryKey: ['info'],
      queryFn: ({ signal }) => client.getInfo({ signal }),
      staleTime: 5 * 60_000,
    }),
}
