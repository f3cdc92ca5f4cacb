import {
  type AlertPoint,
  type AlertPreview,
  type AlertPreviewQuery,
  stepSecondsOf,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Evaluated, evaluate } from './evaluate.ts'
import { replay } from './replay.ts'
import { begin, type OpenEpisode, RANKS } from './state/machine.ts'
import { isUpward, toPolicy } from './state/policy.ts'

/** How far evaluations are behind the clock, so that runs have arrived. Milliseconds. */
export const BEHIND_MS = 15_000
/** Evaluations of one preview with groups, each of which may have twenty. */
const MAX_GROUPED = 10_000
const DAY = 86_400

/** The last end of a window that may be evaluated; seconds since 1970. */
export function lastEnd(nowMs: number, step: number): number {
  return Math.floor((nowMs - BEHIND_MS) / 1000 / step) * step
}

/** What an alert would have done. */
export async function previewAlert(
  deps: Pick<Deps, 'analytics' | 'clock'>,
  tenantId: string,
  { definition, days, max_points }: AlertPreviewQuery,
): Promise<AlertPreview> {
  const step = stepSecondsOf(definition)
  const to = lastEnd(deps.clock(), step)
  const wanted = Math.floor((days * DAY) / step)
  const steps = definition.group_by ? Math.min(wanted, MAX_GROUPED) : wanted
  const from = to - steps * step
  const { evaluated, notice } = await evaluate(deps, tenantId, definition, { from, to })
  const policy = toPolicy(definition, { muteUntilMs: null, isAcknowledged: false })
  const { progress, ended } = replay(begin(from * 1000), policy, definition, evaluated, from * 1000)
  const episodes = [
    ...ended.map(({ episode, at }) => presentEpisode(episode, at)),
    ...(progress.episode ? [presentEpisode(progress.episode, null)] : []),
  ]
  const firingMs = [...ended.map(({ episode, at }) => at - episode.startedAt)]
  if (progress.episode) firingMs.push(to * 1000 - progress.episode.startedAt)
  const isShorter =
    steps < wanted ? `With groups, the preview shows the last ${Math.floor((steps * step) / DAY)} days.` : null
  return {
    step_seconds: step,
    from: timeOfEpochMs(from * 1000),
    to: timeOfEpochMs(to * 1000),
    evaluations: evaluated.length,
    points: thin(evaluated, max_points, isUpward(definition)).map(presentPoint),
    episodes,
    firing_minutes: firingMs.reduce((sum, ms) => sum + ms, 0) / 60_000,
    notice: [notice, isShorter].filter((text) => text !== null).join(' ') || null,
  }
}

const presentEpisode = ({ number, worst, startedAt, peak }: OpenEpisode, endedAt: number | null) => ({
  number,
  state: worst,
  started_at: timeOfEpochMs(startedAt),
  ended_at: endedAt === null ? null : timeOfEpochMs(endedAt),
  peak: peak?.value ?? null,
  peak_at: peak === null ? null : timeOfEpochMs(peak.at),
  peak_group: peak?.group ?? null,
})

export function presentPoint({ at, worst }: Pick<Evaluated, 'at' | 'worst'>): AlertPoint {
  const { group, value, count, level, levels } = worst
  const isBelow = levels.below !== undefined && value !== null && levels.usual !== null && value < levels.usual
  const shown = isBelow ? lower(levels) : levels
  return {
    at: timeOfEpochMs(at * 1000),
    group,
    value,
    count,
    level,
    warning: shown.warning,
    critical: shown.critical,
    usual: levels.usual,
  }
}

/** The pair of levels below the usual value. */
function lower(levels: Evaluated['worst']['levels']) {
  const { below = levels, usual } = levels
  const isOther = (below.critical ?? below.warning ?? 0) < (usual ?? 0)
  return isOther ? below : levels
}

/** At most this many: of neighbors the one with the worst level stays, then the one furthest beyond it. */
export function thin<Point extends Pick<Evaluated, 'worst'>>(
  points: readonly Point[],
  most: number,
  isUpward: boolean,
): readonly Point[] {
  if (points.length <= most) return points
  const kept: Point[] = []
  for (let cell = 0; cell < most; cell++) {
    const from = Math.floor((cell * points.length) / most)
    const to = Math.floor(((cell + 1) * points.length) / most)
    kept.push(points.slice(from, to).reduce((worst, one) => (isWorse(one, worst, isUpward) ? one : worst)))
  }
  return kept
}

function isWorse(one: Pick<Evaluated, 'worst'>, than: Pick<Evaluated, 'worst'>, isUpward: boolean): boolean {
  const difference = RANKS[one.worst.level] - RANKS[than.worst.level]
  if (difference !== 0) return difference > 0
  if (one.worst.value === null || than.worst.value === null)
    return than.worst.value === null && one.worst.value !== null
  return isUpward ? one.worst.value > than.worst.value : one.worst.value < than.worst.value
}
