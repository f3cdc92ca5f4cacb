import type { PlainRoutes } from '../wire/route.ts'

/** Alerts on figures of runs. */
export const alerts = {
  list: { method: 'GET', path: '/alerts' },
  create: { method: 'POST', path: '/alerts', access: 'write' },
  preview: { method: 'POST', path: '/alerts/preview' },
  listEpisodes: { method: 'GET', path: '/alerts/episodes' },
  read: { method: 'GET', path: '/alerts/{alert_id}' },
  update: { method: 'PATCH', path: '/alerts/{alert_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/alerts/{alert_id}', access: 'write' },
  test: { method: 'POST', path: '/alerts/{alert_id}/test', access: 'write' },
  listVersions: { method: 'GET', path: '/alerts/{alert_id}/versions' },
  points: { method: 'GET', path: '/alerts/{alert_id}/points' },
  readEpisode: { method: 'GET', path: '/alerts/{alert_id}/episodes/{number}' },
  acknowledge: { method: 'POST', path: '/alerts/{alert_id}/episodes/{number}/acknowledge', access: 'write' },
} as const satisfies PlainRoutes

/** The same alerts as the public LangSmith clients and scripts write them. */
export const platformAlerts = {
  list: { method: 'GET', path: '/alerts/{session_id}', family: 'platform' },
  create: { method: 'POST', path: '/alerts/{session_id}', family: 'platform', access: 'write' },
  test: { method: 'POST', path: '/alerts/{session_id}/test', family: 'platform', access: 'write' },
  read: { method: 'GET', path: '/alerts/{session_id}/{alert_rule_id}', family: 'platform' },
  update: { method: 'PATCH', path: '/alerts/{session_id}/{alert_rule_id}', family: 'platform', access: 'write' },
  delete: { method: 'DELETE', path: '/alerts/{session_id}/{alert_rule_id}', family: 'platform', access: 'write' },
} as const satisfies PlainRoutes
