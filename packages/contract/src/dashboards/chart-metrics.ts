/** Metrics of a chart; `errors` counts errors by their message, `threads` and `users` count distinct values. */
export const CHART_METRICS = [
  'runs',
  'error_rate',
  'latency',
  'first_token',
  'tokens',
  'cost',
  'feedback',
  'threads',
  'users',
  'errors',
] as const
export type ChartMetric = (typeof CHART_METRICS)[number]
