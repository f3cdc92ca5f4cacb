import { type AlertDefinition, type AlertLevel, statisticOf } from '@touchstone/contract'
import { countsNothing } from './points.ts'
import { isUpward } from './state/policy.ts'

/** What a value has to pass. */
export interface Levels {
  readonly warning: number | null
  readonly critical: number | null
  /** Of the other side, for an anomaly on two sides. */
  readonly below?: { readonly warning: number | null; readonly critical: number | null }
  readonly usual: number | null
}

export const NO_LEVELS: Levels = { warning: null, critical: null, usual: null }

/** Deviations of an anomaly without levels of its own. */
const DEVIATIONS = { warning: 3, critical: 5 }
/** The least deviation, as a share of the usual value: a figure that hardly varies would alert for nothing. */
const FLOOR = 0.05
/** Makes the median absolute deviation of a normal distribution its standard deviation. */
const TO_DEVIATION = 1.4826
const MIN_WEEKS = 2
const MIN_POINTS = 20

/** The levels of a threshold. */
export function toThresholds({ warning, critical }: AlertDefinition): Levels {
  return { warning: warning ?? null, critical: critical ?? null, usual: null }
}

/** The levels of a change: multiples of the value of the window before. Too few runs there: no levels. */
export function toMultiples(
  definition: AlertDefinition,
  before: { readonly value: number | null; readonly count: number },
): Levels {
  const { window_minutes, compare_minutes, min_count } = definition
  if (before.value === null || before.count < min_count) return NO_LEVELS
  const statistic = statisticOf(definition)
  const isSum = statistic === 'count' || statistic === 'sum'
  const usual = before.value * (isSum ? window_minutes / (compare_minutes ?? window_minutes) : 1)
  const times = (level: number | null | undefined) => (level == null ? null : level * usual)
  return { warning: times(definition.warning), critical: times(definition.critical), usual }
}

/**
 * The levels of an anomaly: distances from the median of earlier weeks.
 *
 * @param weeks  values of the same hour of the week, of each earlier week that has any
 */
export function toBand(definition: AlertDefinition, weeks: readonly (readonly number[])[]): Levels {
  const values = weeks.flat()
  if (weeks.length < MIN_WEEKS || values.length < MIN_POINTS) return NO_LEVELS
  const usual = toMedian(values)
  const deviation = Math.max(
    TO_DEVIATION * toMedian(values.map((value) => Math.abs(value - usual))),
    FLOOR * Math.abs(usual),
  )
  const { warning, critical } = definition.warning == null && definition.critical == null ? DEVIATIONS : definition
  const at = (sign: number) => ({
    warning: warning == null ? null : usual + sign * warning * deviation,
    critical: critical == null ? null : usual + sign * critical * deviation,
  })
  const sign = isUpward(definition) ? 1 : -1
  return { ...at(sign), ...(definition.is_two_sided && { below: at(-sign) }), usual }
}

function toMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The level of one group in one window. */
export function toLevel(
  definition: AlertDefinition,
  { value, count }: { readonly value: number | null; readonly count: number },
  levels: Levels,
): AlertLevel {
  const isZero = count === 0 && definition.no_data === 'ok' && countsNothing(definition)
  if (count === 0 && !isZero) return 'no_data'
  if (value === null || (count < definition.min_count && !isZero)) return 'ok'
  if (passes(definition, value, levels, 'critical')) return 'critical'
  return passes(definition, value, levels, 'warning') ? 'warning' : 'ok'
}

function passes(definition: AlertDefinition, value: number, levels: Levels, name: 'warning' | 'critical'): boolean {
  const { operator } = definition
  const level = levels[name]
  if (level !== null && COMPARE[operator](value, level)) return true
  const below = levels.below?.[name] ?? null
  return below !== null && COMPARE[OPPOSITE[operator]](value, below)
}

const COMPARE = {
  gt: (value: number, level: number) => value > level,
  gte: (value: number, level: number) => value >= level,
  lt: (value: number, level: number) => value < level,
  lte: (value: number, level: number) => value <= level,
}
const OPPOSITE = { gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte' } as const
