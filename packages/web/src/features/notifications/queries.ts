import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { NotificationChannelChange, NotificationChannelWrite } from '@touchstone/sdk'
import { clientOf, NotificationCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, NotificationCalls)

export const channelQuery = {
  all: () => ['notification-channels'] as const,
  /** By name. */
  list: () =>
    queryOptions({
      queryKey: [...channelQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listNotificationChannels({ signal }),
    }),
  /** The newest deliveries; read again while one is on its way. */
  deliveries: (id: string, limit: number) =>
    queryOptions({
      queryKey: [...channelQuery.all(), 'deliveries', id, limit],
      queryFn: ({ signal }) => client.listNotificationDeliveries(id, { limit }, { signal }),
      refetchInterval: ({ state }) =>
        state.data?.deliveries.some(({ status }) => status === 'pending') ? 3_000 : false,
      meta: { quiet: true },
    }),
}

export const channelMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (channel: NotificationChannelWrite) => client.createNotificationChannel(channel),
    onSuccess: () => refreshChannels(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: ({ id, ...change }: NotificationChannelChange & { id: string }) =>
      client.updateNotificationChannel(id, change),
    onSettled: () => refreshChannels(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteNotificationChannel(id),
    onSettled: () => refreshChannels(queryClient),
  }),
  test: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.testNotificationChannel(id),
    onSettled: () => refreshChannels(queryClient),
  }),
  redeliver: (queryClient: QueryClient) => ({
    mutationFn: (deliveryId: string) => client.redeliverNotification(deliveryId),
    onSuccess: () => refreshChannels(queryClient),
  }),
}

function refreshChannels(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: channelQuery.all() })
}
