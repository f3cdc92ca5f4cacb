import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CreateInviteParams, Role } from '@touchstone/sdk'
import { clientOf, MemberCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, MemberCalls)

export const memberQuery = {
  list: () => queryOptions({ queryKey: ['members'], queryFn: ({ signal }) => client.listMembers({ signal }) }),
  /** Those that still work; for admins. */
  invites: () =>
    queryOptions({ queryKey: ['members', 'invites'], queryFn: ({ signal }) => client.listInvites({ signal }) }),
}

export const memberMutation = {
  changeRole: (queryClient: QueryClient) => ({
    mutationFn: ({ id, role }: { id: string; role: Role }) => client.updateMember(id, { role }),
    // Whoever changed their own role may do something else from now on.
    onSettled: () => Promise.all([refresh(queryClient), queryClient.invalidateQueries({ queryKey: ['me'] })]),
  }),
  remove: (queryClient: QueryClient) => ({
    mutationFn: ({ id, revokeKeys }: { id: string; revokeKeys: boolean }) => client.removeMember(id, { revokeKeys }),
    onSuccess: () => Promise.all([refresh(queryClient), queryClient.invalidateQueries({ queryKey: ['api-keys'] })]),
  }),
  invite: (queryClient: QueryClient) => ({
    mutationFn: (wish: CreateInviteParams) => client.createInvite(wish),
    onSuccess: () => refresh(queryClient),
  }),
  revokeInvite: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.revokeInvite(id),
    onSuccess: () => refresh(queryClient),
  }),
}

const refresh = (queryClient: QueryClient) => queryClient.invalidateQueries({ queryKey: ['members'] })
