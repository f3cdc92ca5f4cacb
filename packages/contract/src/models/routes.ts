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

export const spending = {
  read: { method: 'GET', path: '/spending' },
  setLimits: { method: 'PATCH', path: '/spending/limits', access: 'admin' },
} as const satisfies PlainRoutes
