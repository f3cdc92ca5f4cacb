import type { EvaluatorAgreement } from '@touchstone/sdk'

interface Interval {
  readonly low: number
  readonly high: number
}

export const formatPercent = (share: number): string => `${(share * 100).toFixed(1).replace(/\.0$/, '')} %`

/** Below this kappa, an evaluator agrees with people hardly more than by chance. */
const POOR = 0.2
const GOOD = 0.6

export function formatInterval({ low, high }: Interval, format: (value: number) => string): string {
  return `95 % interval ${format(low)} to ${format(high)}`
}

/** What kappa means, with its interval. The words are those of Landis and Koch (1977), in three steps. */
export function describeKappa(kappa: EvaluatorAgreement['kappa']): string {
  if (kappa === null) return 'Unknown: people or the evaluator gave a single label to all rows.'
  const { value, interval } = kappa
  const words = value < POOR ? 'Little more than by chance' : value < GOOD ? 'Moderate' : 'Good'
  if (interval === null) return `${words}; too few rows for an interval`
  return `${words}; ${formatInterval(interval, (bound) => bound.toFixed(2))}`
}
