import type { PlainRoutes } from '../wire/route.ts'

export const sharing = {
  shareRun: { method: 'PUT', path: '/runs/{run_id}/share', access: 'write' },
  readRunShare: { method: 'GET', path: '/runs/{run_id}/share' },
  unshareRun: { method: 'DELETE', path: '/runs/{run_id}/share', access: 'write' },
  publicRun: { method: 'GET', path: '/public/{share_token}/run', access: 'public' },
  publicRunById: { method: 'GET', path: '/public/{share_token}/run/{run_id}', access: 'public' },
  publicRuns: { method: 'GET', path: '/public/{share_token}/runs', access: 'public' },
  publicRunsMisspelt: { method: 'GET', path: '/public/{share_token}/runs{query_text}', access: 'public' },
  publicRunQuery: { method: 'POST', path: '/public/{share_token}/runs/query', access: 'public' },
  publicTraceRuns: { method: 'GET', path: '/public/{share_token}/trace/runs', access: 'public' },
  publicTraceRunColumns: { method: 'GET', path: '/public/{share_token}/trace/runs/columns', access: 'public' },
  publicTraceRunsAtOldPath: { method: 'GET', path: '/public/{share_token}/spine', access: 'public' },
  publicFeedback: { method: 'GET', path: '/public/{share_token}/feedbacks', access: 'public' },
  publicSchema: { method: 'GET', path: '/public/schemas/{version}/{file}', access: 'public' },
  listShared: { method: 'GET', path: '/workspaces/current/shared' },
  unshare: { method: 'DELETE', path: '/workspaces/current/shared', access: 'write' },
} as const satisfies PlainRoutes
