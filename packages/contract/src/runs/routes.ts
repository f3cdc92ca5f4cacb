import { createRun, ingestBatch, ingestMultipart, readInfo, updateRun } from '../ingest/routes.ts'
import type { PlainRoutes } from '../wire/route.ts'

export const info = {
  read: readInfo,
  health: { method: 'GET', path: '/info/health', access: 'public' },
  ok: { method: 'GET', path: '/ok', access: 'public' },
  ready: { method: 'GET', path: '/ready', access: 'public' },
} as const satisfies PlainRoutes

export const monitoring = {
  metrics: { method: 'GET', path: '/metrics', family: 'root' },
  openapi: { method: 'GET', path: '/openapi.json', family: 'root' },
} as const satisfies PlainRoutes

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

export const traces = {
  runs: { method: 'GET', path: '/traces/{trace_id}/runs' },
  runColumns: { method: 'GET', path: '/traces/{trace_id}/runs/columns' },
  runsAtOldPath: { method: 'GET', path: '/traces/{trace_id}/spine' },
  resolve: { method: 'GET', path: '/resolve/{id}' },
} as const satisfies PlainRoutes

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
