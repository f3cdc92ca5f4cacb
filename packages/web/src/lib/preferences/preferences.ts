import { createPreference, isBoolean, oneOf } from './preference.ts'

/** Preferences that apply to every page. Settings > Preferences edits them. */

export const DENSITIES = ['compact', 'comfortable', 'preview'] as const
export type Density = (typeof DENSITIES)[number]
export const densityPreference = createPreference<Density>('density', 'compact', oneOf(...DENSITIES))

/** Height of a row in a list of runs, in px. `preview` has room for several lines of the input and output. */
export const ROW_HEIGHT: Readonly<Record<Density, number>> = { compact: 28, comfortable: 36, preview: 96 }

/** Minimum row height of any list, in px. Only lists of runs have previews; other lists are compact then. */
export function getMinRowHeight(density: Density): number {
  return ROW_HEIGHT[density === 'preview' ? 'compact' : density]
}

export type ZoneChoice = 'local' | 'UTC'
/** Time zone of displayed times. Copied times are always UTC. */
export const zonePreference = createPreference<ZoneChoice>('zone', 'local', oneOf('local', 'UTC'))

const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 6
/** Decimals of scores, 0 to 6. */
export const decimalsPreference = createPreference('score-decimals', 2, isDecimals)

export type Motion = 'system' | 'reduced'
export const motionPreference = createPreference<Motion>('motion', 'system', oneOf('system', 'reduced'))

/** Whether the home page shows the "Get started" steps. False once all are done or the list was dismissed. */
export const getStartedPreference = createPreference('get-started', true, isBoolean)
