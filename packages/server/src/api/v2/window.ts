import { timeOfEpochMs } from '@touchstone/contract'
import type { Clock } from '../../deps.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Start of the window that a query means when it names none. */
export function aDayBefore(clock: Clock): string {
  return timeOfEpochMs(clock() - DAY_MS)
}
