import type { PlainRoutes } from '../wire/route.ts'

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
