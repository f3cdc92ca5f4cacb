import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { chosenWorkspace, lastWorkspace, writeChosenWorkspace } from './chosen-workspace.ts'
import { client } from './client.ts'

export const workspaceQuery = {
  /** The workspace that the key, or the open server, stands for. */
  current: () =>
    queryOptions({
      queryKey: ['workspace'],
      queryFn: ({ signal }) => client.getSettings({ signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  /** All that the caller belongs to, by name. */
  list: () => queryOptions({ queryKey: ['workspaces'], queryFn: ({ signal }) => client.listWorkspaces({ signal }) }),
  /** Version, limits and abilities of the server; readable without a key. */
  info: () =>
    queryOptions({
      queryKey: ['info'],
      queryFn: ({ signal }) => client.getInfo({ signal }),
      staleTime: 5 * 60_000,
    }),
}

export const workspaceMutation = {
  create: () => ({ mutationFn: (displayName: string) => client.createWorkspace({ displayName }) }),
  rename: (queryClient: QueryClient) => ({
    mutationFn: async (name: string) => {
      queryClient.setQueryData(workspaceQuery.current().queryKey, await client.renameWorkspace(name))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspaceQuery.list().queryKey }),
  }),
}

/**
 * Makes the requests of this page speak to the workspace that its address names. Going from one to another loads the page
 * anew, so nothing that was read in one is shown in the other.
 *
 * @returns where to go instead, when the caller does not belong to it
 */
export async function enterWorkspace(id: string): Promise<string | undefined> {
  if (chosenWorkspace() === id) return undefined
  if (chosenWorkspace() === undefined && lastWorkspace() === id) {
    writeChosenWorkspace(id)
    return undefined
  }
  const listed = await client.listWorkspaces().catch(() => undefined) // what the page reads next says what is wrong
  if (listed === undefined) return undefined
  if (!listed.some((workspace) => workspace.id === id)) return chosenWorkspace() ?? (await client.getSettings()).id
  writeChosenWorkspace(id)
  return undefined
}
