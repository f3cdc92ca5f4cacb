import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { clientOf, ShareCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, ShareCalls)

export const shareQuery = {
  all: () => ['shares'] as const,
  /** All public links of the workspace, newest first. */
  list: () =>
    queryOptions({
      queryKey: [...shareQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listShares({ signal }),
    }),
  /** The public link of a run; null if it is not shared. */
  ofRun: (runId: string) =>
    queryOptions({
      queryKey: [...shareQuery.all(), 'run', runId],
      queryFn: async ({ signal }) => (await client.readRunSharedLink(runId, { signal })) ?? null,
    }),
}

/** Creates a public link to a run and all runs below it. */
export async function shareRun(queryClient: QueryClient, runId: string): Promise<void> {
  const link = await client.shareRun(runId)
  queryClient.setQueryData(shareQuery.ofRun(runId).queryKey, link)
  void queryClient.invalidateQueries({ queryKey: shareQuery.list().queryKey })
}

/** Revokes the public link of a run. */
export async function unshareRun(queryClient: QueryClient, runId: string): Promise<void> {
  await client.unshareRun(runId)
  queryClient.setQueryData(shareQuery.ofRun(runId).queryKey, null)
  void queryClient.invalidateQueries({ queryKey: shareQuery.list().queryKey })
}

/** Revokes the public links with these tokens. */
export async function revokeShares(queryClient: QueryClient, tokens: readonly string[]): Promise<void> {
  await client.revokeShares([...tokens])
  await queryClient.invalidateQueries({ queryKey: shareQuery.all() })
}
