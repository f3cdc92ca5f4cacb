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

/** The rules of the public clients: the same rules in another form. */
export const runRules = {
  list: { method: 'GET', path: '/runs/rules' },
  create: { method: 'POST', path: '/runs/rules', access: 'write' },
  createDecisionModel: { method: 'POST', path: '/runs/rules/decision-models', access: 'write' },
  validate: { method: 'POST', path: '/runs/rules/validate', access: 'write' },
  triggerMany: { method: 'POST', path: '/runs/rules/trigger', access: 'write' },
  read: { method: 'GET', path: '/runs/rules/{rule_id}' },
  update: { method: 'PATCH', path: '/runs/rules/{rule_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/runs/rules/{rule_id}', access: 'write' },
  logs: { method: 'GET', path: '/runs/rules/{rule_id}/logs' },
  lastApplied: { method: 'GET', path: '/runs/rules/{rule_id}/last_applied' },
  trigger: { method: 'POST', path: '/runs/rules/{rule_id}/trigger', access: 'write' },
} as const satisfies PlainRoutes

export const runRulesV2 = {
  list: { method: 'GET', path: '/runs/rules', family: 'v2' },
} as const satisfies PlainRoutes

/** Evaluators as the public clients know them. */
export const evaluators = {
  list: { method: 'GET', path: '/evaluators', family: 'platform' },
  create: { method: 'POST', path: '/evaluators', family: 'platform', access: 'write' },
  spend: { method: 'GET', path: '/evaluators/spend', family: 'platform' },
  read: { method: 'GET', path: '/evaluators/{evaluator_id}', family: 'platform' },
  update: { method: 'PATCH', path: '/evaluators/{evaluator_id}', family: 'platform', access: 'write' },
  delete: { method: 'DELETE', path: '/evaluators/{evaluator_id}', family: 'platform', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/evaluators', family: 'platform', access: 'write' },
} as const satisfies PlainRoutes
