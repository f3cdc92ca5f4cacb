import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Budget, BudgetChange, BudgetSpend, BudgetWrite } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface ListBudgetsParams {
  /** Leaves out the budgets of other projects. */
  projectId?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

/** Budgets give notice of spend; they never refuse runs. Extensions of ours. */
export class BudgetCalls extends Calls {
  /** By name, fetched a page at a time. */
  async *listBudgets({ projectId, limit }: ListBudgetsParams = {}, options: CallOptions = {}): AsyncGenerator<Budget> {
    const request = { query: { project_id: projectId }, doing: 'list budgets', ...options }
    yield* offsetPages(this.transport, routes.budgets.list, request, { limit, key: 'budgets' })
  }

  /** @throws NotFoundError */
  async readBudget(id: string, options: CallOptions = {}): Promise<Budget> {
    const request = { params: toParams(id), doing: `read budget ${id}`, ...options }
    return await this.transport.call(routes.budgets.read, request)
  }

  /** @throws ConflictError for a name that is taken; BadRequestError for a project or channel that does not exist */
  async createBudget(budget: BudgetWrite, options: CallOptions = {}): Promise<Budget> {
    return await this.transport.call(routes.budgets.create, { body: budget, doing: 'create a budget', ...options })
  }

  /** Absent fields stay. @throws NotFoundError, ConflictError */
  async updateBudget(id: string, change: BudgetChange, options: CallOptions = {}): Promise<Budget> {
    const request = { params: toParams(id), body: change, doing: `update budget ${id}`, ...options }
    return await this.transport.call(routes.budgets.update, request)
  }

  /** @throws NotFoundError */
  async deleteBudget(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.send(routes.budgets.delete, { params: toParams(id), doing: `delete budget ${id}`, ...options })
  }

  /** Spend of the last periods, oldest first. @throws NotFoundError */
  async readBudgetHistory(id: string, periods?: number, options: CallOptions = {}): Promise<BudgetSpend[]> {
    const request = { params: toParams(id), query: { periods }, doing: `read history of budget ${id}`, ...options }
    return (await this.transport.call(routes.budgets.history, request)).periods
  }
}

function toParams(id: string): { budget_id: string } {
  assertUuid(id)
  return { budget_id: id }
}
