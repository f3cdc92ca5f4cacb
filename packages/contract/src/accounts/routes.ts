import type { PlainRoutes } from '../wire/route.ts'

export const accounts = {
  state: { method: 'GET', path: '/auth/state', access: 'public' },
  setUp: { method: 'POST', path: '/auth/setup', access: 'public' },
  signIn: { method: 'POST', path: '/auth/login', access: 'public' },
  signOut: { method: 'POST', path: '/auth/logout', access: 'public' },
  me: { method: 'GET', path: '/auth/me' },
  update: { method: 'PATCH', path: '/auth/me' },
  changePassword: { method: 'POST', path: '/auth/password' },
  listSignIns: { method: 'GET', path: '/auth/sign-ins' },
  endSignIn: { method: 'DELETE', path: '/auth/sign-ins/{id}' },
  leave: { method: 'POST', path: '/auth/leave' },
} as const satisfies PlainRoutes

export const workspaces = {
  settings: { method: 'GET', path: '/settings' },
  setHandle: { method: 'POST', path: '/settings/handle', access: 'admin' },
  rename: { method: 'PATCH', path: '/workspaces/current', access: 'admin' },
  create: { method: 'POST', path: '/workspaces', access: 'admin' },
  update: { method: 'PATCH', path: '/workspaces/{id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/workspaces/{id}', access: 'admin' },
  list: { method: 'GET', path: '/workspaces' },
  tenants: { method: 'GET', path: '/tenants' },
  stats: { method: 'GET', path: '/workspaces/current/stats' },
  secrets: { method: 'GET', path: '/workspaces/current/secrets' },
  organization: { method: 'GET', path: '/orgs/current' },
  whoAmI: { method: 'GET', path: '/auth/public' },
} as const satisfies PlainRoutes
