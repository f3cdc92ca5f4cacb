import type { Clock } from '../../deps.ts'

/** Counts uses of each key in windows of a fixed length. Kept in memory: a restart forgives. */
export interface RateLimit {
  /** Counts one use. @returns seconds to wait when it was one too many */
  take(key: string): number | undefined
}

/** More keys than this in one window, and counting starts anew: memory is bounded before fairness. */
const MAX_KEYS = 100_000

export function createRateLimit(clock: Clock, limit: number, windowMs = 60_000): RateLimit {
  let counts = new Map<string, number>()
  let endsAt = 0
  return {
    take(key) {
      const now = clock()
      if (now >= endsAt || counts.size >= MAX_KEYS) {
        counts = new Map()
        endsAt = now + windowMs
      }
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count <= limit ? undefined : Math.ceil((endsAt - now) / 1000)
    },
  }
}
