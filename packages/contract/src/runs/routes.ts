import { createRun, ingestBatch, ingestMultipart, updateRun } from '../ingest/routes.ts'
import type { PlainRoutes } from '../wire/route.ts'

export const runs = {
  create: createRun,
  update: updateRun,
  batch: ingestBatch,
  multipart: ingestMultipart,
  read: { method: 'GET', path: '/runs/{run_id}' },
  query: { method: 'POST', path: '/runs/query' },
} as const satisfies PlainRoutes

export const runStats = {
  stats: { method: 'POST', path: '/runs/stats' },
  group: { method: 'POST', path: '/runs/group' },
  groupStats: { method: 'POST', path: '/runs/group/stats' },
  thread: { method: 'GET', path: '/runs/threads/{thread_id}' },
  projectMetadata: { method: 'GET', path: '/sessions/{session_id}/metadata' },
} as const satisfies PlainRoutes

export const runSeries = {
  series: { method: 'POST', path: '/runs/series' },
  histogram: { method: 'POST', path: '/runs/histogram' },
  facets: { method: 'POST', path: '/runs/facets' },
} as const satisfies PlainRoutes

export const runErrors = {
  query: { method: 'POST', path: '/runs/errors' },
} as const satisfies PlainRoutes

export const runValues = {
  query: { method: 'POST', path: '/runs/values' },
} as const satisfies PlainRoutes

export const runDeletions = {
  delete: { method: 'POST', path: '/runs/delete', access: 'write' },
  deleteTraces: { method: 'POST', path: '/runs/delete/traces', access: 'write' },
} as const satisfies PlainRoutes

export const bulkJobs = {
  start: { method: 'POST', path: '/bulk', access: 'write' },
  list: { method: 'GET', path: '/jobs' },
  read: { method: 'GET', path: '/jobs/{job_id}' },
  cancel: { method: 'POST', path: '/jobs/{job_id}/cancel', access: 'write' },
  undo: { method: 'POST', path: '/jobs/{job_id}/undo', access: 'write' },
  download: { method: 'GET', path: '/jobs/downloads/{token}', access: 'public' },
} as const satisfies PlainRoutes

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

export const queryTools = {
  validate: { method: 'POST', path: '/runs/query/validate' },
  generate: { method: 'POST', path: '/runs/generate-query' },
} as const satisfies PlainRoutes

export const blobs = {
  read: { method: 'GET', path: '/blobs/{token}', access: 'public' },
} as const satisfies PlainRoutes
