import type { PlainRoutes } from '../wire/route.ts'

export const traces = {
  runs: { method: 'GET', path: '/traces/{trace_id}/runs' },
  runColumns: { method: 'GET', path: '/traces/{trace_id}/runs/columns' },
  runsAtOldPath: { method: 'GET', path: '/traces/{trace_id}/spine' },
  resolve: { method: 'GET', path: '/resolve/{id}' },
} as const satisfies PlainRoutes
