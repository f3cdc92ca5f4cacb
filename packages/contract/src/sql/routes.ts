import type { PlainRoutes } from '../wire/route.ts'

export const sql = {
  query: { method: 'POST', path: '/sql/query', family: 'v2' },
} as const satisfies PlainRoutes
