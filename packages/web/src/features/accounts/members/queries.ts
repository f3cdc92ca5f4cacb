import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CreateInviteParams, Role } from '@touchstone/sdk'
import { clientOf, MemberCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { apiKeyQuery } from '../api-keys/queries.ts'
import { meQuery } from '../me.ts'

const client = clientOf(connection, MemberCalls)

export const memberQuery = {
  all: () => ['members'] as const,
  list: () =>
    queryOptions({ queryKey: [...memberQuery.all(), 'list'], queryFn: ({ signal }) => client.listMembers({ signal }) }),
  /** Invitations that are still valid. Admins only. */
  invites: () =>
    queryOptions({
      queryKey: [...memberQuery.all(), 'invites'],
      queryFn: ({ signal }) => client.listInvites({ signal }),
    }),
}

export const memberMutation = {
  changeRole: (queryClient: QueryClient) => ({
    mutationFn: ({ id, role }: { id: string; role: Role }) => client.updateMember(id, { role }),
    // A change of the caller's own role changes what the caller may do.
    onSettled: () =>
      Promise.all([refresh(queryClient), queryClient.invalidateQueries({ queryKey: meQuery.current().queryKey })]),
  }),
  remove: (queryClient: QueryClient) => ({
    mutationFn: ({ id, revokeKeys }: { id: string; revokeKeys: boolean }) => client.removeMember(id, { revokeKeys }),
    onSuccess: () =>
      Promise.all([refresh(queryClient), queryClient.invalidateQueries({ queryKey: apiKeyQuery.list().queryKey })]),
  }),
  invite: (queryClient: QueryClient) => ({
    mutationFn: (invite: CreateInviteParams) => client.createInvite(invite),
    onSuccess: () => refresh(queryClient),
  }),
  revokeInvite: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.revokeInvite(id),
    onSuccess: () => refresh(queryClient),
  }),
}

const refresh = (queryClient: QueryClient) => queryClient.invalidateQueries({ queryKey: memberQuery.all() })
