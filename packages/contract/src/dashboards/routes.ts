import type { PlainRoutes } from '../wire/route.ts'

export const savedViews = {
  list: { method: 'GET', path: '/ui/views' },
  create: { method: 'POST', path: '/ui/views', access: 'write' },
  update: { method: 'PATCH', path: '/ui/views/{view_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/ui/views/{view_id}', access: 'write' },
} as const satisfies PlainRoutes

export const dashboards = {
  create: { method: 'POST', path: '/dashboards', access: 'write' },
  list: { method: 'GET', path: '/dashboards' },
  read: { method: 'GET', path: '/dashboards/{dashboard_id}' },
  update: { method: 'PATCH', path: '/dashboards/{dashboard_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/dashboards/{dashboard_id}', access: 'write' },
} as const satisfies PlainRoutes
