import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

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
