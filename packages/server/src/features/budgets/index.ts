export { BudgetEngine } from './budget-engine.ts'
export { deleteBudgetsOfProjects } from './budgets.ts'
export { budgetRoutes } from './routes.ts'
