import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { BackupCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, BackupCalls)

/** Polling interval while a backup is running. */
const RUNNING_MS = 700

export const backupQuery = {
  /** Backups of the whole server, polled while one is running. Server admins only. */
  list: () =>
    queryOptions({
      queryKey: ['backups'],
      queryFn: ({ signal }) => client.listBackups({ signal }),
      refetchInterval: ({ state }) =>
        state.data?.backups.some(({ status }) => status === 'running') ? RUNNING_MS : false,
      meta: { quiet: true },
    }),
}

export const backupMutation = {
  /** Starts a backup; the list shows its progress. */
  create: (queryClient: QueryClient) => ({
    mutationFn: () => client.createBackup(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: backupQuery.list().queryKey }),
  }),
}
