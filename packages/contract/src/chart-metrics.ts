/** Metrics of a chart; `errors` counts the first lines of errors. */
export const CHART_METRICS = [
  'runs',
  'error_rate',
  'latency',
  'first_token',
  'tokens',
  'cost',
  'feedback',
  'errors',
] as const
export type ChartMetric = (typeof CHART_METRICS)[number]
