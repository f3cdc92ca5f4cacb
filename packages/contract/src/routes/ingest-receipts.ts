import type { PlainRoutes } from '../route.ts'

export const ingestReceipts = {
  list: { method: 'GET', path: '/ingest/receipts' },
  where: { method: 'GET', path: '/ingest/where/{id}' },
} as const satisfies PlainRoutes
