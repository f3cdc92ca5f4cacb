import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'

const DAY_MS = 86_400_000

/** Traces whose newest run began before this have outlived so many days; null when all are kept. */
export function removesBefore({ clock }: Pick<Deps, 'clock'>, days: number): string | null {
  return days === 0 ? null : timeOfEpochMs(clock() - days * DAY_MS)
}
