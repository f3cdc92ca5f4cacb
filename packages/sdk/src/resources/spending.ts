import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { Spending, SpendingLimits } from '../schemas.ts'
import { Calls } from './calls.ts'

/** What calls of models by playground, previews, judges and jobs cost in a calendar month, and its limits. Extensions of ours. */
export class SpendingCalls extends Calls {
  /** What this month's calls cost, in all and by provider. */
  async readSpending(options: CallOptions = {}): Promise<Spending> {
    return await this.transport.call(routes.spending.read, { doing: 'read the spending', ...options })
  }

  /**
   * For admins. Absent fields stay; null removes a limit.
   *
   * @throws NotFoundError for an unknown provider
   */
  async setSpendingLimits(limits: SpendingLimits, options: CallOptions = {}): Promise<Spending> {
    const request = { body: limits, doing: 'set limits of spending', ...options }
    return await this.transport.call(routes.spending.setLimits, request)
  }
}
