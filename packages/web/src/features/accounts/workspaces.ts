import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, ServerCalls, WorkspaceCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { readWorkspaceId, writeWorkspaceId } from '#lib/api/session.ts'
import { workspaceQuery } from './me.ts'

const client = clientOf(connection, ServerCalls, WorkspaceCalls)

export const workspacesQuery = {
  /** All workspaces of the caller, by name. */
  list: () => queryOptions({ queryKey: ['workspaces'], queryFn: ({ signal }) => client.listWorkspaces({ signal }) }),
}

export const workspaceMutation = {
  create: () => ({ mutationFn: (displayName: string) => client.createWorkspace({ displayName }) }),
  /** Deletes the current workspace. */
  delete: () => ({ mutationFn: (id: string) => client.deleteWorkspace(id) }),
  /** Gives the current workspace its public name. */
  setHandle: (queryClient: QueryClient) => ({
    mutationFn: async (handle: string) => {
      queryClient.setQueryData(workspaceQuery.current().queryKey, await client.setWorkspaceHandle(handle))
    },
  }),
  /** Renames the current workspace. */
  rename: (queryClient: QueryClient) => ({
    mutationFn: async ({ name, expectedName }: { name: string; expectedName: string }) => {
      const saved = await client.renameWorkspace(name, { expectedName })
      queryClient.setQueryData(workspaceQuery.current().queryKey, saved)
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspacesQuery.list().queryKey }),
    /** Others may have renamed it. */
    onError: () => queryClient.invalidateQueries({ queryKey: workspaceQuery.current().queryKey }),
  }),
}

/**
 * Makes a workspace the current one if the caller belongs to it, with at most one request: the server may have named it
 * already, and its list of workspaces has all that the page needs.
 *
 * @returns id of the workspace to open instead, if the caller does not belong to it
 */
export async function enterWorkspace(queryClient: QueryClient, id: string): Promise<string | undefined> {
  const { queryKey } = workspaceQuery.current()
  if (queryClient.getQueryData(queryKey)?.id !== id) {
    const listed = await client.listWorkspaces().catch(() => undefined) // the next request of the page shows the error
    if (listed === undefined) return undefined
    const found = listed.find((workspace) => workspace.id === id)
    if (found === undefined) return readWorkspaceId() ?? (await client.getSettings()).id
    queryClient.setQueryData(queryKey, found)
  }
  writeWorkspaceId(id)
  return undefined
}
