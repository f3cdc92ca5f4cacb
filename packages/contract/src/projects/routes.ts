import type { PlainRoutes } from '../wire/route.ts'

export const projects = {
  create: { method: 'POST', path: '/sessions', access: 'write' },
  list: { method: 'GET', path: '/sessions' },
  read: { method: 'GET', path: '/sessions/{session_id}' },
  update: { method: 'PATCH', path: '/sessions/{session_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/sessions/{session_id}', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/sessions', access: 'write' },
} as const satisfies PlainRoutes

export const agents = {
  list: { method: 'GET', path: '/agents' },
  create: { method: 'POST', path: '/agents', access: 'write' },
  read: { method: 'GET', path: '/agents/{agent_id}' },
  update: { method: 'PATCH', path: '/agents/{agent_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/agents/{agent_id}', access: 'write' },
  resolve: { method: 'GET', path: '/sessions/resolutions' },
} as const satisfies PlainRoutes

export const projectsV2 = {
  list: { method: 'GET', path: '/sessions', family: 'v2' },
} as const satisfies PlainRoutes
