/**
 * Names of the color tokens of chart series, without the dashes. Neighbors are easiest to tell apart, also for people who
 * do not see red, green or blue; slate is for what remains.
 */
export const SERIES_COLORS = [
  'series-blue',
  'series-orange',
  'series-teal',
  'series-violet',
  'series-gold',
  'series-pink',
  'series-green',
  'series-slate',
] as const
export type SeriesColor = (typeof SERIES_COLORS)[number]
