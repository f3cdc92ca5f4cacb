import type { Clock } from '../deps.ts'

/** Row versions: microseconds of the clock, and always larger than the last one given out and the one replaced. */
export interface Versions {
  /** A version of which it and its successor are free. */
  after(stored?: number | string): number
}

export function createVersions(clock: Clock): Versions {
  let last = 0
  return {
    after(stored = 0) {
      const version = Math.max(last + 1, Number(stored) + 1, clock() * 1000)
      last = version + 1
      return version
    },
  }
}
