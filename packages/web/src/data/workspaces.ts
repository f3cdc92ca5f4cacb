import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, ServerCalls, WorkspaceCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { workspaceQuery } from './me.ts'
import { readWorkspaceId, writeWorkspaceId } from './session.ts'

const client = clientOf(connection, ServerCalls, WorkspaceCalls)

export const workspacesQuery = {
  /** All workspaces of the caller, by name. */
  list: () => queryOptions({ queryKey: ['workspaces'], queryFn: ({ signal }) => client.listWorkspaces({ signal }) }),
}

export const workspaceMutation = {
  create: () => ({ mutationFn: (displayName: string) => client.createWorkspace({ displayName }) }),
  /** Deletes the current workspace. */
  delete: () => ({ mutationFn: (id: string) => client.deleteWorkspace(id) }),
  /** Renames the current workspace. */
  rename: (queryClient: QueryClient) => ({
    mutationFn: async (name: string) => {
      queryClient.setQueryData(workspaceQuery.current().queryKey, await client.renameWorkspace(name))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspacesQuery.list().queryKey }),
  }),
}

/**
 * Makes a workspace the current one if the caller belongs to it.
 *
 * @returns id of the workspace to open instead, if the caller does not belong to it
 */
export async function enterWorkspace(id: string): Promise<string | undefined> {
  const listed = await client.listWorkspaces().catch(() => undefined) // the next request of the page shows the error
  if (listed === undefined) return undefined
  if (!listed.some((workspace) => workspace.id === id)) return readWorkspaceId() ?? (await client.getSettings()).id
  writeWorkspaceId(id)
  return undefined
}
