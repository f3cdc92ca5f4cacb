import { type AlertDefinition, type AlertLevel, stepSecondsOf } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Levels, NO_LEVELS, toBand, toLevel, toMultiples, toThresholds } from './levels.ts'
import { countsNothing, type Ends, type Measured, measureWindows } from './points.ts'
import { RANKS } from './state/machine.ts'
import { isUpward } from './state/policy.ts'

const HOUR = 3_600
const WEEK = 7 * 24 * HOUR
/** Earlier weeks that an anomaly is compared with. */
const WEEKS = 4

/** One group at one evaluation, with what its value had to pass. */
export interface Judged {
  readonly group: string | null
  readonly value: number | null
  readonly count: number
  readonly level: AlertLevel
  readonly levels: Levels
}

/** One evaluation. */
export interface Evaluated {
  /** End of the window; seconds since 1970. */
  readonly at: number
  /** The group that decides. */
  readonly worst: Judged
  /** Those with the most runs first; at least one. */
  readonly groups: readonly Judged[]
  /** The earliest start of a run in the window; null without any. */
  readonly oldest: number | null
}

export interface Evaluations {
  readonly evaluated: readonly Evaluated[]
  /** Why an anomaly has no usual value. */
  readonly notice: string | null
}

/** Keeps what an anomaly is compared with for the hour that it belongs to; absent for a preview, which reads all at once. */
export type Baselines = Map<number, Promise<ReadonlyMap<number, readonly Measured[]>>>

/**
 * Evaluates windows one after the other, the same way for an alert that watches and for its preview.
 *
 * @param from  the first end of a window, a multiple of the step; seconds since 1970
 * @param to  the last one
 */
export async function evaluate(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  definition: AlertDefinition,
  { from, to, baselines }: { readonly from: number; readonly to: number; readonly baselines?: Baselines },
): Promise<Evaluations> {
  const ends: Ends = { from, to, step: stepSecondsOf(definition), window: definition.window_minutes * 60, offset: 0 }
  const [windows, compare] = await Promise.all([
    measureWindows(deps, tenantId, definition, ends),
    openComparison(deps, tenantId, definition, ends, baselines),
  ])
  const evaluated: Evaluated[] = []
  let hasBand = definition.kind !== 'anomaly'
  for (let at = from; at <= to; at += ends.step) {
    const found = windows.get(at) ?? [toNothing(definition)]
    const groups = found.map(({ oldest: _, ...measured }): Judged => {
      const levels = compare(at, measured.group)
      return { ...measured, level: toLevel(definition, measured, levels), levels }
    })
    hasBand ||= groups.some(({ levels }) => levels.usual !== null)
    const oldest = windows.has(at) ? Math.min(...found.map((one) => one.oldest)) : null
    evaluated.push({ at, worst: findWorst(definition, groups), groups, oldest })
  }
  return { evaluated, notice: hasBand ? null : NO_BAND }
}

const NO_BAND =
  'There is no usual value yet: an anomaly needs runs in the same hour of at least 2 of the last 4 weeks, and 20 values.'

export const toNothing = (definition: AlertDefinition): Measured => ({
  group: null,
  value: countsNothing(definition) ? 0 : null,
  count: 0,
  oldest: 0,
})

function findWorst(definition: AlertDefinition, groups: readonly Judged[]): Judged {
  const sign = isUpward(definition) ? 1 : -1
  const beyond = ({ value, levels }: Judged) => {
    if (value === null) return Number.NEGATIVE_INFINITY
    return definition.is_two_sided && levels.usual !== null ? Math.abs(value - levels.usual) : sign * value
  }
  return groups.reduce((worst, one) => {
    const difference = RANKS[one.level] - RANKS[worst.level]
    return difference > 0 || (difference === 0 && beyond(one) > beyond(worst)) ? one : worst
  })
}

/** The levels of a group at the end of a window. */
type Compare = (at: number, group: string | null) => Levels

async function openComparison(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  definition: AlertDefinition,
  ends: Ends,
  baselines: Baselines | undefined,
): Promise<Compare> {
  switch (definition.kind) {
    case 'threshold': {
      const levels = toThresholds(definition)
      return () => levels
    }
    case 'change': {
      const window = (definition.compare_minutes ?? definition.window_minutes) * 60
      const before = await measureWindows(deps, tenantId, definition, { ...ends, window, offset: ends.window })
      return (at, group) => {
        const found = before.get(at)?.find((one) => one.group === group)
        return found === undefined ? NO_LEVELS : toMultiples(definition, found)
      }
    }
    case 'anomaly':
      return openBands(definition, await readBaselines(deps, tenantId, definition, ends, baselines), ends.step)
  }
}

type Windows = ReadonlyMap<number, readonly Measured[]>

/** Reads the windows of earlier weeks: of the whole time at once, or by the hour when they are kept. */
async function readBaselines(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  definition: AlertDefinition,
  ends: Ends,
  baselines: Baselines | undefined,
): Promise<Windows> {
  const toHour = (at: number) => Math.floor(at / HOUR) * HOUR
  if (baselines === undefined) {
    const from = toHour(ends.from) - WEEKS * WEEK
    return measureWindows(deps, tenantId, definition, { ...ends, from, to: toHour(ends.to) + HOUR - ends.step })
  }
  const found = new Map<number, readonly Measured[]>()
  for (let hour = toHour(ends.from); hour <= ends.to; hour += HOUR) {
    for (let week = 1; week <= WEEKS; week++) {
      const from = hour - week * WEEK
      const known = baselines.get(from)
      const read = known ?? measureWindows(deps, tenantId, definition, { ...ends, from, to: from + HOUR - ends.step })
      if (known === undefined) {
        baselines.set(from, read)
        read.catch(() => baselines.delete(from))
      }
      for (const [at, groups] of await read) found.set(at, groups)
    }
  }
  for (const hour of baselines.keys()) if (hour < toHour(ends.from) - WEEKS * WEEK) baselines.delete(hour)
  return found
}

function openBands(definition: AlertDefinition, windows: Windows, step: number): Compare {
  const bands = new Map<string, Levels>()
  return (at, group) => {
    const hour = Math.floor(at / HOUR) * HOUR
    const key = `${hour} ${group === null ? '' : `=${group}`}`
    const known = bands.get(key)
    if (known !== undefined) return known
    const band = toBand(definition, readWeeks(definition, windows, { hour, step, group }))
    bands.set(key, band)
    return band
  }
}

/** The values of a group in one hour of the earlier weeks. An empty window of a week with runs counts as zero, where it is one. */
function readWeeks(
  definition: AlertDefinition,
  windows: Windows,
  { hour, step, group }: { readonly hour: number; readonly step: number; readonly group: string | null },
): number[][] {
  const weeks: number[][] = []
  for (let week = 1; week <= WEEKS; week++) {
    const from = hour - week * WEEK
    const values: number[] = []
    let hasRuns = false
    for (let at = from; at < from + HOUR; at += step) {
      const found = windows.get(at)?.find((one) => one.group === group)
      hasRuns ||= found !== undefined
      const value = found?.value ?? (found === undefined && countsNothing(definition) ? 0 : null)
      if (value !== null) values.push(value)
    }
    if (hasRuns && values.length > 0) weeks.push(values)
  }
  return weeks
}
