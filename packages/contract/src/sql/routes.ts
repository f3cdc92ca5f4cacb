import type { PlainRoutes } from '../wire/route.ts'

export const runsV2 = {
  query: { method: 'POST', path: '/runs/query', family: 'v2' },
  read: { method: 'GET', path: '/runs/{run_id}', family: 'v2' },
  url: { method: 'GET', path: '/runs/{run_id}/url', family: 'v2' },
  share: { method: 'POST', path: '/runs/{run_id}/share', family: 'v2', access: 'write' },
  unshare: { method: 'DELETE', path: '/runs/{trace_id}/share', family: 'v2', access: 'write' },
  publicRead: { method: 'GET', path: '/public/{share_token}/run/{run_id}', family: 'v2', access: 'public' },
  publicQuery: { method: 'POST', path: '/public/{share_token}/runs/query', family: 'v2', access: 'public' },
  ofTrace: { method: 'GET', path: '/traces/{trace_id}/runs', family: 'v2' },
  queryTraces: { method: 'POST', path: '/traces/query', family: 'v2' },
} as const satisfies PlainRoutes

export const threadsV2 = {
  query: { method: 'POST', path: '/threads/query', family: 'v2' },
  traces: { method: 'GET', path: '/threads/{thread_id}/traces', family: 'v2' },
  totals: { method: 'POST', path: '/threads/stats', family: 'v2' },
  stats: { method: 'GET', path: '/threads/{thread_id}/stats', family: 'v2' },
  share: { method: 'POST', path: '/threads/{thread_id}/share', family: 'v2', access: 'write' },
  readShare: { method: 'GET', path: '/threads/{thread_id}/share', family: 'v2' },
  unshare: { method: 'DELETE', path: '/threads/{thread_id}/share', family: 'v2', access: 'write' },
  publicTraces: { method: 'GET', path: '/public/{share_token}/thread/traces', family: 'v2', access: 'public' },
} as const satisfies PlainRoutes

export const projectsV2 = {
  list: { method: 'GET', path: '/sessions', family: 'v2' },
} as const satisfies PlainRoutes

export const datasetsV2 = {
  list: { method: 'GET', path: '/datasets', family: 'v2' },
} as const satisfies PlainRoutes

export const queryTools = {
  validate: { method: 'POST', path: '/runs/query/validate' },
  generate: { method: 'POST', path: '/runs/generate-query' },
  rules: { method: 'GET', path: '/runs/rules' },
} as const satisfies PlainRoutes

export const sql = {
  query: { method: 'POST', path: '/sql/query', family: 'v2' },
} as const satisfies PlainRoutes
