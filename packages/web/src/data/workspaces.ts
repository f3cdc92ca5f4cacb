import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, ServerCalls, WorkspaceCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { readWorkspaceId, writeWorkspaceId } from './session.ts'
import { workspaceQuery } from './workspace.ts'

const client = clientOf(connection, ServerCalls, WorkspaceCalls)

export const workspacesQuery = {
  /** All that the caller belongs to, by name. */
  list: () => queryOptions({ queryKey: ['workspaces'], queryFn: ({ signal }) => client.listWorkspaces({ signal }) }),
}

export const workspaceMutation = {
  create: () => ({ mutationFn: (displayName: string) => client.createWorkspace({ displayName }) }),
  /** Deletes the one that is open. */
  delete: () => ({ mutationFn: (id: string) => client.deleteWorkspace(id) }),
  /** Renames the one that is open. */
  rename: (queryClient: QueryClient) => ({
    mutationFn: async (name: string) => {
      queryClient.setQueryData(workspaceQuery.current().queryKey, await client.renameWorkspace(name))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspacesQuery.list().queryKey }),
  }),
}

/**
 * Makes the requests of this page speak to a workspace, once the caller is known to belong to it.
 *
 * @returns where to go instead, when the caller does not belong to it
 */
export async function enterWorkspace(id: string): Promise<string | undefined> {
  const listed = await client.listWorkspaces().catch(() => undefined) // what the page reads next says what is wrong
  if (listed === undefined) return undefined
  if (!listed.some((workspace) => workspace.id === id)) return readWorkspaceId() ?? (await client.getSettings()).id
  writeWorkspaceId(id)
  return undefined
}
