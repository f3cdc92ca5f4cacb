/** Milliseconds since 1970. */
type Clock = () => number

/**
 * The same clock, except that it never goes back: when the clock of the machine is set back, time goes on from the last
 * reading. For what lasts as long as the process, such as caches, windows of limits and budgets of time, which would
 * otherwise last longer by the difference.
 */
export function createSteadyClock(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY
  let aheadMs = 0
  return () => {
    const now = clock()
    if (now + aheadMs < last) aheadMs = last - now
    last = now + aheadMs
    return last
  }
}

/** After a clock was set, for which it may be corrected. */
const CALM_MS = 3_600_000
/** Clocks are corrected by less, and a machine that is suspended for less removes nothing too early. */
const TOLERANCE_MS = 60_000

/**
 * Tells whether the clock was set forward or back since the last call, and for an hour after that, in which it may be
 * corrected: what removes data by its age waits that long.
 *
 * @param elapsed  milliseconds of a clock that cannot be set. @default `performance.now`
 */
export function createJumpWatch(clock: Clock, elapsed: () => number = () => performance.now()): () => boolean {
  let difference = clock() - elapsed()
  let calmAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = elapsed()
    const before = difference
    difference = clock() - now
    if (Math.abs(difference - before) > TOLERANCE_MS) calmAt = now + CALM_MS
    return now < calmAt
  }
}
