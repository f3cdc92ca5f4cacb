import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, ShareCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, ShareCalls)

export const shareQuery = {
  /** Everything of the workspace that is open to the public, newest first. */
  list: () =>
    queryOptions({
      queryKey: ['shares'],
      queryFn: ({ signal }) => client.listShares({ signal }),
    }),
  /** The public page of a run; null while it is not shared. */
  ofRun: (runId: string) =>
    queryOptions({
      queryKey: ['share', runId],
      queryFn: async ({ signal }) => (await client.readRunSharedLink(runId, { signal })) ?? null,
    }),
}

/** Opens a run and all below it to whoever holds the link. */
export async function shareRun(queryClient: QueryClient, runId: string): Promise<void> {
  const link = await client.shareRun(runId)
  queryClient.setQueryData(shareQuery.ofRun(runId).queryKey, link)
  void queryClient.invalidateQueries({ queryKey: ['shares'] })
}

/** Closes it again; the link leads nowhere from now on. */
export async function unshareRun(queryClient: QueryClient, runId: string): Promise<void> {
  await client.unshareRun(runId)
  queryClient.setQueryData(shareQuery.ofRun(runId).queryKey, null)
  void queryClient.invalidateQueries({ queryKey: ['shares'] })
}

/** Closes what these tokens open. */
export async function revokeShares(queryClient: QueryClient, tokens: readonly string[]): Promise<void> {
  await client.revokeShares([...tokens])
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['shares'] }),
    queryClient.invalidateQueries({ queryKey: ['share'] }),
  ])
}
