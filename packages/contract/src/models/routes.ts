import type { PlainRoutes } from '../wire/route.ts'

export const modelProviders = {
  list: { method: 'GET', path: '/model-providers' },
  create: { method: 'POST', path: '/model-providers', access: 'admin' },
  keyStatus: { method: 'GET', path: '/model-providers/secret-keys', access: 'server-admin' },
  rotateKeys: { method: 'POST', path: '/model-providers/secret-keys/rotate', access: 'server-admin' },
  test: { method: 'POST', path: '/model-providers/test', access: 'admin' },
  read: { method: 'GET', path: '/model-providers/{provider_id}' },
  update: { method: 'PATCH', path: '/model-providers/{provider_id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/model-providers/{provider_id}', access: 'admin' },
  listModels: { method: 'GET', path: '/model-providers/{provider_id}/models', access: 'write' },
} as const satisfies PlainRoutes
