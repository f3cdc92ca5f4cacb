import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Role } from '@touchstone/sdk'
import { ApiKeyCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { writeKey } from '#lib/api/session.ts'
import { meQuery } from '../me.ts'

const client = clientOf(connection, ApiKeyCalls)

export const apiKeyQuery = {
  list: () =>
    queryOptions({
      queryKey: ['api-keys'],
      queryFn: ({ signal }) => client.listApiKeys({ signal }),
    }),
}

export interface NewKey {
  description: string
  role?: Role | undefined
  expiresAt?: string | undefined
}

/**
 * Creates an API key. The first key of an open server turns authentication on; this browser then uses that key itself.
 *
 * @returns the key with its secret, and whether this browser uses it now
 */
export async function createKey(queryClient: QueryClient, key: NewKey) {
  const wasOpen = (await queryClient.ensureQueryData(meQuery.current())).kind === 'local'
  const created = await client.createApiKey(key)
  if (wasOpen) {
    writeKey(created.key)
    void queryClient.invalidateQueries({ queryKey: meQuery.current().queryKey })
  }
  void queryClient.invalidateQueries({ queryKey: apiKeyQuery.list().queryKey })
  return { created, isOurs: wasOpen }
}

export async function revokeKey(queryClient: QueryClient, id: string): Promise<void> {
  await client.revokeApiKey(id)
  await queryClient.invalidateQueries({ queryKey: apiKeyQuery.list().queryKey })
}
