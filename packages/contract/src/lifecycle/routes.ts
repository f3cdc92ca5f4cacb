import type { PlainRoutes } from '../wire/route.ts'

export const members = {
  list: { method: 'GET', path: '/workspaces/current/members' },
  changeRole: { method: 'PATCH', path: '/workspaces/current/members/{id}', access: 'admin' },
  remove: { method: 'DELETE', path: '/workspaces/current/members/{id}', access: 'admin' },
  listInvites: { method: 'GET', path: '/workspaces/current/invites', access: 'admin' },
  invite: { method: 'POST', path: '/workspaces/current/invites', access: 'admin' },
  revokeInvite: { method: 'DELETE', path: '/workspaces/current/invites/{id}', access: 'admin' },
  readInvite: { method: 'GET', path: '/auth/invites/{token}', access: 'public' },
  acceptInvite: { method: 'POST', path: '/auth/invites/{token}', access: 'public' },
  joinByInvite: { method: 'POST', path: '/auth/invites/{token}/join' },
} as const satisfies PlainRoutes

export const apiKeys = {
  list: { method: 'GET', path: '/api-key' },
  create: { method: 'POST', path: '/api-key', access: 'write' },
  revoke: { method: 'DELETE', path: '/api-key/{id}', access: 'write' },
} as const satisfies PlainRoutes

export const serverAdmins = {
  list: { method: 'GET', path: '/server/admins', access: 'server-admin' },
  appoint: { method: 'POST', path: '/server/admins', access: 'server-admin' },
  remove: { method: 'DELETE', path: '/server/admins/{id}', access: 'server-admin' },
} as const satisfies PlainRoutes

export const backups = {
  list: { method: 'GET', path: '/backups', access: 'server-admin' },
  create: { method: 'POST', path: '/backups', access: 'server-admin' },
  read: { method: 'GET', path: '/backups/{backup_id}', access: 'server-admin' },
} as const satisfies PlainRoutes

export const deletions = {
  list: { method: 'GET', path: '/workspaces/current/deletions' },
  read: { method: 'GET', path: '/workspaces/current/deletions/{deletion_id}' },
} as const satisfies PlainRoutes

export const retention = {
  readWorkspace: { method: 'GET', path: '/workspaces/current/retention' },
  setWorkspace: { method: 'PUT', path: '/workspaces/current/retention', access: 'admin' },
  estimateWorkspace: { method: 'GET', path: '/workspaces/current/retention/estimate' },
  readProject: { method: 'GET', path: '/sessions/{session_id}/retention' },
  setProject: { method: 'PUT', path: '/sessions/{session_id}/retention', access: 'write' },
  estimateProject: { method: 'GET', path: '/sessions/{session_id}/retention/estimate' },
} as const satisfies PlainRoutes

export const usage = {
  read: { method: 'GET', path: '/workspaces/current/usage' },
  models: { method: 'GET', path: '/workspaces/current/usage/models' },
  storage: { method: 'GET', path: '/workspaces/current/storage', access: 'admin' },
  activity: { method: 'GET', path: '/workspaces/current/activity' },
} as const satisfies PlainRoutes

export const modelPrices = {
  list: { method: 'GET', path: '/model-price-map' },
  create: { method: 'POST', path: '/model-price-map', access: 'write' },
  update: { method: 'PUT', path: '/model-price-map/{id}', access: 'write' },
  delete: { method: 'DELETE', path: '/model-price-map/{id}', access: 'write' },
  test: { method: 'POST', path: '/model-price-map/test' },
  unpriced: { method: 'GET', path: '/model-price-map/unpriced' },
  reprice: { method: 'POST', path: '/model-price-map/reprice', access: 'write' },
} as const satisfies PlainRoutes

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

export const bulkJobs = {
  start: { method: 'POST', path: '/bulk', access: 'write' },
  list: { method: 'GET', path: '/jobs' },
  read: { method: 'GET', path: '/jobs/{job_id}' },
  cancel: { method: 'POST', path: '/jobs/{job_id}/cancel', access: 'write' },
  undo: { method: 'POST', path: '/jobs/{job_id}/undo', access: 'write' },
  download: { method: 'GET', path: '/jobs/downloads/{token}', access: 'public' },
} as const satisfies PlainRoutes
