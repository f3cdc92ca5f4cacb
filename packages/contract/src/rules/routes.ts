import type { PlainRoutes } from '../wire/route.ts'

/** Rules that act on runs by themselves. */
export const rules = {
  list: { method: 'GET', path: '/rules' },
  create: { method: 'POST', path: '/rules', access: 'write' },
  read: { method: 'GET', path: '/rules/{rule_id}' },
  update: { method: 'PATCH', path: '/rules/{rule_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/rules/{rule_id}', access: 'write' },
  listVersions: { method: 'GET', path: '/rules/{rule_id}/versions' },
  listDecisions: { method: 'GET', path: '/rules/{rule_id}/decisions' },
  funnel: { method: 'GET', path: '/rules/{rule_id}/funnel' },
  counts: { method: 'GET', path: '/rules/counts' },
  dryRun: { method: 'POST', path: '/rules/dry-run' },
  try: { method: 'POST', path: '/rules/try', access: 'write' },
  redo: { method: 'POST', path: '/rules/{rule_id}/decisions/redo', access: 'write' },
  spend: { method: 'GET', path: '/rules/{rule_id}/spend' },
  listBackfills: { method: 'GET', path: '/rules/{rule_id}/backfills' },
  createBackfill: { method: 'POST', path: '/rules/{rule_id}/backfills', access: 'write' },
  updateBackfill: { method: 'PATCH', path: '/rules/{rule_id}/backfills/{backfill_id}', access: 'write' },
  explain: { method: 'GET', path: '/runs/{run_id}/rules' },
} as const satisfies PlainRoutes
