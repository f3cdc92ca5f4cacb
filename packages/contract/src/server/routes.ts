import { readInfo } from '../ingest/routes.ts'
import type { PlainRoutes } from '../wire/route.ts'

export const backups = {
  list: { method: 'GET', path: '/backups', access: 'server-admin' },
  create: { method: 'POST', path: '/backups', access: 'server-admin' },
  read: { method: 'GET', path: '/backups/{backup_id}', access: 'server-admin' },
} as const satisfies PlainRoutes

export const info = {
  read: readInfo,
  health: { method: 'GET', path: '/info/health', access: 'public' },
  ok: { method: 'GET', path: '/ok', access: 'public' },
  ready: { method: 'GET', path: '/ready', access: 'public' },
} as const satisfies PlainRoutes

export const monitoring = {
  metrics: { method: 'GET', path: '/metrics', family: 'root' },
  openapi: { method: 'GET', path: '/openapi.json', family: 'root' },
} as const satisfies PlainRoutes
