import { ApiError } from '@touchstone/contract'

/** Statements that may wait, and statements of one workspace that may run or wait. */
const MAX_WAITING = 5
const MAX_OF_TENANT = 4

/**
 * Runs one statement at a time: the embedded engine cannot run more, and other engines stay free for other requests.
 */
export class StatementQueue {
  #waiting: (() => void)[] = []
  #isTaken = false
  readonly #ofTenant = new Map<string, number>()

  /**
   * Waits for a turn.
   *
   * @returns what ends the turn; to be called once
   * @throws ApiError RATE_LIMITED when too many wait already
   */
  async enter(tenantId: string): Promise<() => void> {
    const own = this.#ofTenant.get(tenantId) ?? 0
    if (own >= MAX_OF_TENANT || this.#waiting.length >= MAX_WAITING) {
      throw new ApiError('RATE_LIMITED', 'SQL: too many statements are running; try again shortly.', {
        retryAfterSeconds: 2,
      })
    }
    this.#ofTenant.set(tenantId, own + 1)
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return () => this.#leave(tenantId)
  }

  #leave(tenantId: string): void {
    const left = this.#ofTenant.get(tenantId)! - 1
    if (left === 0) this.#ofTenant.delete(tenantId)
    else this.#ofTenant.set(tenantId, left)
    // Start the next waiting statement directly, so that no new one runs before it.
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}
