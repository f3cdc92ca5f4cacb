import type { PlainRoutes } from '../route.ts'

export const spending = {
  read: { method: 'GET', path: '/spending' },
  setLimits: { method: 'PATCH', path: '/spending/limits', access: 'admin' },
} as const satisfies PlainRoutes
