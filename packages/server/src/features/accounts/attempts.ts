import { ApiError } from '@touchstone/contract'
import type { Clock } from '../../deps.ts'

const WINDOW_MS = 15 * 60_000
const MAX_REMEMBERED = 10_000

/** Mistakes of one name from one address, of one address, and with one name, within a quarter of an hour. */
const LIMITS = { pair: 10, address: 50, name: 50 }

/** Counts wrong passwords, so that nobody tries them by the thousand. Each process counts for itself. */
export class Attempts {
  private readonly mistakes = new Map<string, { count: number; until: number }>()

  constructor(private readonly clock: Clock) {}

  /** @throws ApiError RATE_LIMITED after too many mistakes, saying when to come back */
  check(address: string, name: string): void {
    const now = this.clock()
    for (const [key, limit] of keysOf(address, name)) {
      const entry = this.mistakes.get(key)
      if (entry === undefined || entry.until <= now || entry.count < limit) continue
      throw new ApiError('RATE_LIMITED', 'Too many wrong passwords. Wait a while, then try again.', {
        retryAfterSeconds: Math.ceil((entry.until - now) / 1000),
      })
    }
  }

  noteMistake(address: string, name: string): void {
    const now = this.clock()
    // Names can be invented at will: a full memory is emptied of what has passed, then of everything.
    if (this.mistakes.size >= MAX_REMEMBERED) {
      for (const [key, { until }] of this.mistakes) if (until <= now) this.mistakes.delete(key)
      if (this.mistakes.size >= MAX_REMEMBERED) this.mistakes.clear()
    }
    for (const [key] of keysOf(address, name)) {
      const entry = this.mistakes.get(key)
      if (entry === undefined || entry.until <= now) this.mistakes.set(key, { count: 1, until: now + WINDOW_MS })
      else entry.count++
    }
  }

  /** Whoever knows the password may go on making mistakes. */
  forgive(address: string, name: string): void {
    this.mistakes.delete(`pair ${address} ${name}`)
  }
}

function keysOf(address: string, name: string): [key: string, limit: number][] {
  return [
    [`pair ${address} ${name}`, LIMITS.pair],
    [`address ${address}`, LIMITS.address],
    [`name ${name}`, LIMITS.name],
  ]
}
