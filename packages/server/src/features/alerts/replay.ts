import type { AlertDefinition } from '@touchstone/contract'
import type { Evaluated } from './evaluate.ts'
import { type Notified, type OpenEpisode, type Policy, type Progress, step } from './state/machine.ts'

/** What became of an alert after some evaluations. */
export interface Replayed {
  readonly progress: Progress
  readonly notified: readonly Notified[]
  /** Episodes that ended, with their ends. */
  readonly ended: readonly { readonly episode: OpenEpisode; readonly at: number }[]
  /** The evaluations at which the peak of an episode was, by its number. */
  readonly peaks: ReadonlyMap<number, Evaluated>
}

/**
 * Takes the states of an alert through evaluations, in order.
 *
 * @param watchedSinceMs  a window that begins before has no data only because no user watched
 */
export function replay(
  before: Progress,
  policy: Policy,
  definition: AlertDefinition,
  evaluated: readonly Evaluated[],
  watchedSinceMs: number,
): Replayed {
  let progress = before
  const notified: Notified[] = []
  const ended: { episode: OpenEpisode; at: number }[] = []
  const peaks = new Map<number, Evaluated>()
  for (const one of evaluated) {
    const at = one.at * 1000
    const { level, value, group } = one.worst
    const isFirst = at - definition.window_minutes * 60_000 < watchedSinceMs
    const stepped = step(progress, policy, { at, level: level === 'no_data' && isFirst ? 'ok' : level, value, group })
    progress = stepped.progress
    if (progress.episode?.peak?.at === at) peaks.set(progress.episode.number, one)
    if (stepped.notified !== null) notified.push(stepped.notified)
    if (stepped.ended !== null) ended.push({ episode: stepped.ended, at })
  }
  return { progress, notified, ended, peaks }
}
