import type { PlainRoutes } from '../wire/route.ts'

export const feedback = {
  create: { method: 'POST', path: '/feedback', access: 'write' },
  createEager: { method: 'POST', path: '/feedback/eager', access: 'write' },
  list: { method: 'GET', path: '/feedback' },
  read: { method: 'GET', path: '/feedback/{feedback_id}' },
  update: { method: 'PATCH', path: '/feedback/{feedback_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/feedback/{feedback_id}', access: 'write' },
} as const satisfies PlainRoutes

export const feedbackConfigs = {
  create: { method: 'POST', path: '/feedback-configs', access: 'write' },
  list: { method: 'GET', path: '/feedback-configs' },
  update: { method: 'PATCH', path: '/feedback-configs', access: 'write' },
  delete: { method: 'DELETE', path: '/feedback-configs', access: 'write' },
  usage: { method: 'GET', path: '/feedback-configs/usage' },
} as const satisfies PlainRoutes

export const feedbackTokens = {
  create: { method: 'POST', path: '/feedback/tokens', access: 'write' },
  list: { method: 'GET', path: '/feedback/tokens', access: 'write' },
  useByGet: { method: 'GET', path: '/feedback/tokens/{token}', access: 'public' },
  confirm: { method: 'POST', path: '/feedback/tokens/{token}/confirm', access: 'public' },
  use: { method: 'POST', path: '/feedback/tokens/{token}', access: 'public' },
  revoke: { method: 'DELETE', path: '/feedback/tokens/{token}', access: 'write' },
} as const satisfies PlainRoutes
