import { formatCost, formatLatency, formatScore, formatScoreDelta, formatTokens } from '#lib/format.ts'
import type { Measure } from './logic/comparison-measures.ts'

/** A value of a metric in its unit. */
export function formatMeasure({ kind }: Measure, value: number): string {
  if (kind === 'score') return formatScore(value)
  if (kind === 'latency') return formatLatency(value)
  if (kind === 'tokens') return formatTokens(Math.round(value))
  return formatCost(Number.isNaN(value) ? undefined : String(value))
}

/** A difference of a metric with its sign. */
export function formatMeasureDelta(measure: Measure, delta: number): string {
  if (measure.kind === 'score') return formatScoreDelta(delta)
  return delta > 0 ? `+${formatMeasure(measure, delta)}` : formatMeasure(measure, delta)
}

/** The name of a metric: its feedback key, or what the figure is. */
export function getMeasureLabel(measure: Measure): string {
  if (measure.kind === 'score') return measure.key
  return { latency: 'Latency', tokens: 'Tokens per run', cost: 'Cost per run' }[measure.kind]
}
