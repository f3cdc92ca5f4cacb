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
