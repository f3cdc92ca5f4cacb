import type { PlainRoutes } from '../wire/route.ts'

export const playground = {
  run: { method: 'POST', path: '/playground/runs', access: 'write' },
} as const satisfies PlainRoutes

export const playgroundJobs = {
  estimate: { method: 'POST', path: '/playground/estimate', access: 'write' },
  create: { method: 'POST', path: '/playground/jobs', access: 'write' },
  list: { method: 'GET', path: '/playground/jobs' },
  read: { method: 'GET', path: '/playground/jobs/{job_id}' },
  pause: { method: 'POST', path: '/playground/jobs/{job_id}/pause', access: 'write' },
  resume: { method: 'POST', path: '/playground/jobs/{job_id}/resume', access: 'write' },
  stop: { method: 'POST', path: '/playground/jobs/{job_id}/stop', access: 'write' },
} as const satisfies PlainRoutes

export const playgroundDrafts = {
  list: { method: 'GET', path: '/playground/drafts' },
  create: { method: 'POST', path: '/playground/drafts', access: 'write' },
  read: { method: 'GET', path: '/playground/drafts/{draft_id}' },
  update: { method: 'PATCH', path: '/playground/drafts/{draft_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/playground/drafts/{draft_id}', access: 'write' },
} as const satisfies PlainRoutes
