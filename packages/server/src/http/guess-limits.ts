import { ApiError } from '@touchstone/contract'
import type { Clock } from '../deps.ts'
import { createSteadyClock } from '../steady-clock.ts'

const WINDOW_MS = 15 * 60_000
const MAX_KEYS = 50_000

/** Maximum number of guesses under a key within a window. */
export type GuessLimit = readonly [key: string, limit: number]

export interface Guess {
  /** After a correct guess: it does not count, and earlier wrong guesses under its first key are deleted. */
  wasRight(): void
}

/**
 * Counts guesses of secrets per key within windows of 15 minutes. A guess is counted before it is checked, so that
 * simultaneous guesses cannot pass together. Each process counts separately, in limited memory: over 50,000 keys the
 * oldest windows are dropped.
 */
export class GuessLimits {
  private readonly counts = new Map<string, { count: number; until: number }>()

  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = createSteadyClock(clock)
  }

  /** Guesses under a key in its current window, including those being checked. */
  count(key: string): number {
    const entry = this.counts.get(key)
    return entry === undefined || entry.until <= this.clock() ? 0 : entry.count
  }

  /**
   * Counts one guess under every key, or under none.
   *
   * @throws ApiError RATE_LIMITED when one of the limits is reached, with the time of the next try
   */
  reserve(limits: readonly GuessLimit[], message: string): Guess {
    const now = this.clock()
    for (const [key, limit] of limits) {
      if (this.count(key) < limit) continue
      const retryAfterSeconds = Math.ceil((this.counts.get(key)!.until - now) / 1000)
      throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds })
    }
    const entries = limits.map(([key]) => this.add(key, now))
    return {
      wasRight: () => {
        for (const entry of entries) entry.count--
        if (limits[0] !== undefined) this.counts.delete(limits[0][0])
      },
    }
  }

  private add(key: string, now: number): { count: number } {
    const known = this.counts.get(key)
    if (known !== undefined && known.until > now) {
      known.count++
      return known
    }
    this.counts.delete(key) // the map is in the order of the beginnings of windows
    if (this.counts.size >= MAX_KEYS) this.dropOldest(now)
    const entry = { count: 1, until: now + WINDOW_MS }
    this.counts.set(key, entry)
    return entry
  }

  private dropOldest(now: number): void {
    let dropped = 0
    for (const [key, { until }] of this.counts) {
      if (until > now && dropped >= MAX_KEYS / 100) return
      this.counts.delete(key)
      dropped++
    }
  }
}
