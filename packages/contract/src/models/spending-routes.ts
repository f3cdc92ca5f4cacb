import type { PlainRoutes } from '../wire/route.ts'

export const spending = {
  read: { method: 'GET', path: '/spending' },
  setLimits: { method: 'PATCH', path: '/spending/limits', access: 'admin' },
} as const satisfies PlainRoutes
