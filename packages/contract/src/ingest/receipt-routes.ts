import type { PlainRoutes } from '../wire/route.ts'

export const ingestReceipts = {
  list: { method: 'GET', path: '/ingest/receipts' },
  listRefused: { method: 'GET', path: '/ingest/refused' },
  retryRefused: { method: 'POST', path: '/ingest/refused/retry', access: 'admin' },
  where: { method: 'GET', path: '/ingest/where/{id}' },
} as const satisfies PlainRoutes
