import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Role } from '@touchstone/sdk'
import { ApiKeyCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from './client.ts'
import { meQuery } from './me.ts'
import { writeKey } from './session.ts'

const client = clientOf(connection, ApiKeyCalls)

export const apiKeyQuery = {
  list: () =>
    queryOptions({
      queryKey: ['api-keys'],
      queryFn: ({ signal }) => client.listApiKeys({ signal }),
    }),
}

export interface KeyWanted {
  description: string
  role?: Role | undefined
  expiresAt?: string | undefined
}

/**
 * Creates a key. The first key of a server closes it, also to this browser, which had none; so it goes on with that key.
 *
 * @returns the key, its secret included, and whether this browser now uses it
 */
export async function createKey(queryClient: QueryClient, wanted: KeyWanted) {
  const wasOpen = (await queryClient.ensureQueryData(meQuery.current())).kind === 'local'
  const created = await client.createApiKey(wanted)
  if (wasOpen) {
    writeKey(created.key)
    void queryClient.invalidateQueries({ queryKey: meQuery.current().queryKey })
  }
  void queryClient.invalidateQueries({ queryKey: ['api-keys'] })
  return { created, isOurs: wasOpen }
}

export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.revokeApiKey(id)
  await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
}
