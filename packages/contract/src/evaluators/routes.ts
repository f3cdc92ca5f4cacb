import type { PlainRoutes } from '../wire/route.ts'

export const savedEvaluators = {
  list: { method: 'GET', path: '/evaluators' },
  create: { method: 'POST', path: '/evaluators', access: 'write' },
  preview: { method: 'POST', path: '/evaluators/preview', access: 'write' },
  read: { method: 'GET', path: '/evaluators/{evaluator_id}' },
  update: { method: 'PATCH', path: '/evaluators/{evaluator_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/evaluators/{evaluator_id}', access: 'write' },
  listVersions: { method: 'GET', path: '/evaluators/{evaluator_id}/versions' },
  createVersion: { method: 'POST', path: '/evaluators/{evaluator_id}/versions', access: 'write' },
  readVersion: { method: 'GET', path: '/evaluators/{evaluator_id}/versions/{version}' },
  agreement: { method: 'POST', path: '/evaluators/{evaluator_id}/agreement', access: 'write' },
} as const satisfies PlainRoutes

/** Judgements of the runs of experiments. */
export const evaluatorJobs = {
  estimate: { method: 'POST', path: '/evaluators/jobs/estimate', access: 'write' },
  create: { method: 'POST', path: '/evaluators/jobs', access: 'write' },
  list: { method: 'GET', path: '/evaluators/jobs' },
  read: { method: 'GET', path: '/evaluators/jobs/{job_id}' },
  pause: { method: 'POST', path: '/evaluators/jobs/{job_id}/pause', access: 'write' },
  resume: { method: 'POST', path: '/evaluators/jobs/{job_id}/resume', access: 'write' },
  stop: { method: 'POST', path: '/evaluators/jobs/{job_id}/stop', access: 'write' },
} as const satisfies PlainRoutes
