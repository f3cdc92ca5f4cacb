import type { PlainRoutes } from '../wire/route.ts'

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
