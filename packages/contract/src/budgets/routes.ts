import type { PlainRoutes } from '../wire/route.ts'

/** Limits of spend that give notice; they never refuse runs. */
export const budgets = {
  list: { method: 'GET', path: '/budgets' },
  create: { method: 'POST', path: '/budgets', access: 'write' },
  read: { method: 'GET', path: '/budgets/{budget_id}' },
  update: { method: 'PATCH', path: '/budgets/{budget_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/budgets/{budget_id}', access: 'write' },
  history: { method: 'GET', path: '/budgets/{budget_id}/history' },
} as const satisfies PlainRoutes
