import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export const workspaceQuery = {
  /** The workspace that this page speaks to. */
  current: () =>
    queryOptions({
      queryKey: ['workspace'],
      queryFn: ({ signal }) => client.getSettings({ signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  /** Version, limits and abilities of the server; readable without a key. */
  info: () =>
    queryOptions({
      queryKey: ['info'],
      queryFn: ({ signal }) => client.getInfo({ signal }),
      staleTime: 5 * 60_000,
    }),
}
