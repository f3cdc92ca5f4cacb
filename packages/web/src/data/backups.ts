import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { BackupCalls, clientOf } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, BackupCalls)

/** How often backups are asked about while one is made. */
const RUNNING_MS = 700

export const backupQuery = {
  /** Backups of the whole server, for its administrators; followed while one is made. */
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
  /** Starts one; the list tells how far it is. */
  create: (queryClient: QueryClient) => ({
    mutationFn: () => client.createBackup(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: backupQuery.list().queryKey }),
  }),
}
