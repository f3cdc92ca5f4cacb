import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AcceptInviteParams, Me, SetUpParams } from '@touchstone/sdk'
import { AccountCalls, clientOf, MemberCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { meQuery } from './me.ts'
import { setupKey, writeKey, writeWorkspaceId } from './session.ts'

const client = clientOf(connection, AccountCalls)
const members = clientOf(connection, MemberCalls)

export const doorQuery = {
  /** Whether the server is open, set up, or waits to be; readable by anybody. */
  state: () =>
    queryOptions({ queryKey: ['door'], queryFn: ({ signal }) => client.readAuthState({ signal }), staleTime: 0 }),
}

export const signInQuery = {
  list: () => queryOptions({ queryKey: ['sign-ins'], queryFn: ({ signal }) => client.listSignIns({ signal }) }),
}

export const inviteQuery = {
  /** What an invitation is for. */
  read: (token: string) =>
    queryOptions({ queryKey: ['invite', token], queryFn: ({ signal }) => members.readInvite(token, { signal }) }),
}

/** Whoever just came in sees nothing that was read for somebody else. */
function comeIn(queryClient: QueryClient, me: Me): void {
  writeKey(undefined)
  queryClient.clear()
  queryClient.setQueryData(meQuery.current().queryKey, me)
}

export const accountMutation = {
  setUp: (queryClient: QueryClient) => ({
    mutationFn: (wish: SetUpParams) => client.setUpServer(wish),
    onSuccess: ({ me, key }: { me: Me; key: string }, { projectName }: SetUpParams) => {
      comeIn(queryClient, me)
      setupKey.write({ projectName, key })
    },
  }),
  signIn: (queryClient: QueryClient) => ({
    mutationFn: (credentials: { email: string; password: string }) => client.signIn(credentials),
    onSuccess: (me: Me) => comeIn(queryClient, me),
  }),
  /** The same person again: what is on screen stays, and what failed meanwhile is read anew. */
  signInAgain: (queryClient: QueryClient) => ({
    mutationFn: (credentials: { email: string; password: string }) => client.signIn(credentials),
    onSuccess: () => queryClient.invalidateQueries(),
  }),
  acceptInvite: (queryClient: QueryClient, token: string) => ({
    mutationFn: (wish: AcceptInviteParams) => members.acceptInvite(token, wish),
    onSuccess: (me: Me) => comeIn(queryClient, me),
  }),
  joinByInvite: (queryClient: QueryClient, token: string) => ({
    mutationFn: () => members.joinByInvite(token),
    onSuccess: (me: Me) => comeIn(queryClient, me),
  }),
  leaveWorkspace: () => ({
    mutationFn: (workspaceId: string) => clientOf({ ...connection, workspaceId }, AccountCalls).leaveWorkspace(),
    // It may have been the one that is open; the next page asks which are left.
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

/** Forgets who this was, here and on the server, and leaves for the door: nothing that was read stays in memory. */
export async function signOut(): Promise<void> {
  await client.signOut().catch(() => undefined) // a server that is gone cannot keep anybody in
  writeKey(undefined)
  location.assign('/login')
}
