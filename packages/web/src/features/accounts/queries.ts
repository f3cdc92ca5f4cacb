import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AcceptInviteParams, Me, SetUpParams } from '@touchstone/sdk'
import { AccountCalls, clientOf, MemberCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { setupKey, writeKey, writeWorkspaceId } from '#lib/api/session.ts'
import { dropKeptDrafts } from '#lib/draft-owner.ts'
import { meQuery } from './me.ts'

const client = clientOf(connection, AccountCalls)
const members = clientOf(connection, MemberCalls)

export const authQuery = {
  /** Whether authentication is on and whether the server has been set up. Readable without signing in. */
  state: () =>
    queryOptions({ queryKey: ['auth-state'], queryFn: ({ signal }) => client.readAuthState({ signal }), staleTime: 0 }),
}

export const signInQuery = {
  list: () => queryOptions({ queryKey: ['sign-ins'], queryFn: ({ signal }) => client.listSignIns({ signal }) }),
}

export const inviteQuery = {
  /** The workspace and role of an invitation. */
  read: (token: string) =>
    queryOptions({ queryKey: ['invite', token], queryFn: ({ signal }) => members.readInvite(token, { signal }) }),
}

/** Clears everything that was loaded for the previous caller. */
function startSession(queryClient: QueryClient, me: Me): void {
  writeKey(undefined)
  queryClient.clear()
  queryClient.setQueryData(meQuery.current().queryKey, me)
}

export const accountMutation = {
  setUp: (queryClient: QueryClient) => ({
    mutationFn: (params: SetUpParams) => client.setUpServer(params),
    onSuccess: ({ me, key }: { me: Me; key: string }, { projectName }: SetUpParams) => {
      startSession(queryClient, me)
      setupKey.write({ projectName, key })
    },
  }),
  signIn: (queryClient: QueryClient) => ({
    mutationFn: (credentials: { email: string; password: string }) => client.signIn(credentials),
    onSuccess: (me: Me) => startSession(queryClient, me),
  }),
  /** Signs the same user in again: loaded data stays, and every query is refreshed. */
  signInAgain: (queryClient: QueryClient) => ({
    mutationFn: (credentials: { email: string; password: string }) => client.signIn(credentials),
    onSuccess: () => queryClient.invalidateQueries(),
  }),
  acceptInvite: (queryClient: QueryClient, token: string) => ({
    mutationFn: (params: AcceptInviteParams) => members.acceptInvite(token, params),
    onSuccess: (me: Me) => startSession(queryClient, me),
  }),
  joinByInvite: (queryClient: QueryClient, token: string) => ({
    mutationFn: () => members.joinByInvite(token),
    onSuccess: (me: Me) => startSession(queryClient, me),
  }),
  leaveWorkspace: () => ({
    mutationFn: (workspaceId: string) => clientOf({ ...connection, workspaceId }, AccountCalls).leaveWorkspace(),
    // The next page asks the server which workspaces are left.
    onSuccess: () => writeWorkspaceId(undefined),
  }),
  rename: (queryClient: QueryClient) => ({
    mutationFn: (name: string) => client.updateMe({ name }),
    onSuccess: (me: Me) => queryClient.setQueryData(meQuery.current().queryKey, me),
  }),
  changePassword: (queryClient: QueryClient) => ({
    mutationFn: (change: { currentPassword: string; newPassword: string }) => client.changePassword(change),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: signInQuery.list().queryKey }),
  }),
  endSignIn: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.endSignIn(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: signInQuery.list().queryKey }),
  }),
}

/** Signs out here and on the server. Loading the sign-in page clears everything from memory. */
export async function signOut(): Promise<void> {
  await client.signOut().catch(() => undefined) // an unreachable server must not keep the user signed in here
  writeKey(undefined)
  dropKeptDrafts()
  location.assign('/login')
}
