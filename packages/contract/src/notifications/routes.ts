import type { PlainRoutes } from '../wire/route.ts'

/** Where the server sends notices of alerts, rules and budgets. */
export const notifications = {
  list: { method: 'GET', path: '/notification-channels' },
  create: { method: 'POST', path: '/notification-channels', access: 'admin' },
  read: { method: 'GET', path: '/notification-channels/{channel_id}' },
  update: { method: 'PATCH', path: '/notification-channels/{channel_id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/notification-channels/{channel_id}', access: 'admin' },
  test: { method: 'POST', path: '/notification-channels/{channel_id}/test', access: 'admin' },
  listDeliveries: { method: 'GET', path: '/notification-channels/{channel_id}/deliveries', access: 'admin' },
  redeliver: { method: 'POST', path: '/notification-deliveries/{delivery_id}/redeliver', access: 'admin' },
} as const satisfies PlainRoutes
