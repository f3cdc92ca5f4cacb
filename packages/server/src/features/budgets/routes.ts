import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import {
  type BudgetDeps,
  createBudget,
  deleteBudget,
  getBudget,
  listBudgets,
  presentBudget,
  readHistory,
  updateBudget,
} from './budgets.ts'

export function budgetRoutes(app: App, deps: BudgetDeps): void {
  const { budgets } = contract

  serve(app, budgets.list, ({ caller, query }) => listBudgets(deps, caller.tenantId, query))
  serve(app, budgets.create, ({ caller, body }) => createBudget(deps, caller, body))
  serve(app, budgets.read, async ({ caller, params }) =>
    presentBudget(await getBudget(deps.relational.db, caller.tenantId, params.budget_id)),
  )
  serve(app, budgets.update, ({ caller, params, body }) => updateBudget(deps, caller, params.budget_id, body))
  serve(app, budgets.delete, ({ caller, params }) => deleteBudget(deps, caller.tenantId, params.budget_id))
  serve(app, budgets.history, async ({ caller, params, query }) => ({
    periods: await readHistory(deps, caller.tenantId, params.budget_id, query.periods),
  }))
}
