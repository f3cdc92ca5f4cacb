import type { SendResult } from './kinds/index.ts'

const [MINUTE, HOUR] = [60, 3600]

/** Seconds between tries; the last one is 23 hours after the first. */
export const PAUSES = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]

/** Each pause is up to this share longer or shorter, so that many deliveries do not come at once. */
const SPREAD = 0.2

/** Seconds after its first try in which a delivery is tried. */
const MOST_SECONDS = 24 * HOUR

/**
 * Seconds until the next try, or why there is none.
 *
 * @param attempts  tries so far, at least 1
 * @param ageSeconds  since the delivery was made
 * @param random  in [0, 1)
 */
export function planRetry(
  { outcome, error, retryAfterSeconds = 0 }: SendResult,
  { attempts, ageSeconds, random }: { readonly attempts: number; readonly ageSeconds: number; readonly random: number },
): { readonly afterSeconds: number } | { readonly problem: string } {
  const pause = PAUSES[attempts - 1]
  if (outcome !== 'retry') return { problem: error ?? '' }
  if (pause === undefined) return { problem: `${error} It was tried ${attempts} times.` }
  const spread = Math.round(pause * (1 - SPREAD + 2 * SPREAD * random))
  const left = Math.floor(MOST_SECONDS - ageSeconds)
  if (retryAfterSeconds > left || left <= 0) return { problem: `${error} A delivery is tried for a day.` }
  return { afterSeconds: Math.max(retryAfterSeconds, Math.min(spread, left)) }
}

/** Days without a success after which a channel is turned off. */
const MOST_DAYS = 3

/** Whether a channel has failed for so long that it is turned off. */
export const isGivenUp = (failingSinceMs: number, nowMs: number): boolean =>
  nowMs - failingSinceMs >= MOST_DAYS * 24 * HOUR * 1000

export const GIVEN_UP = `No delivery succeeded for ${MOST_DAYS} days.`
