import { isBoolean, oneOf, preference } from './preference.ts'

/** Choices of the person at this browser that every page follows; each is set on the page of preferences. */

/** Lists without a preview of payloads treat `preview` as `compact`. */
export const DENSITIES = ['compact', 'comfortable', 'preview'] as const
export type Density = (typeof DENSITIES)[number]
export const densityPreference = preference<Density>('density', 'compact', oneOf(...DENSITIES))

/** Height of a list row without a preview, in px. */
export const ROW_HEIGHT: Readonly<Record<Density, number>> = { compact: 28, comfortable: 36, preview: 28 }

export type ZoneChoice = 'local' | 'UTC'
/** In which zone times are written; copying a time gives UTC always. */
export const zonePreference = preference<ZoneChoice>('zone', 'local', oneOf('local', 'UTC'))

const isDecimals = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 6
/** Decimals of scores, 0 to 6. */
export const decimalsPreference = preference('score-decimals', 2, isDecimals)

export type Motion = 'system' | 'reduced'
export const motionPreference = preference<Motion>('motion', 'system', oneOf('system', 'reduced'))

/** Whether the first steps are shown on the home page; ends for good once all are done, or by choice. */
export const getStartedPreference = preference('get-started', true, isBoolean)
