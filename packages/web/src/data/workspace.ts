import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export const workspaceQuery = {
  /** The workspace that the key, or the open server, stands for. */
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

export const workspaceMutation = {
  rename: (queryClient: QueryClient) => ({
    mutationFn: async (name: string) => {
      queryClient.setQueryData(workspaceQuery.current().queryKey, await client.renameWorkspace(name))
    },
  }),
}
