import type { ChartMetric, DashboardChart, SeriesPoint } from '@touchstone/contract'
import { formatCost, formatCount, formatLatency, formatRate, formatScore, formatTokens } from '#lib/format.ts'

/** One measure of a bucket. Latencies are in seconds; null when unknown. */
export interface Measure {
  id: string
  label: string
  /** Name of a color token, without the dashes. */
  color: string
  read: (point: SeriesPoint) => number | null
}

export interface Metric {
  label: string
  /** Text for the summary of a chart. */
  description: string
  /** Measures without groups, in drawing order. */
  measures: readonly Measure[]
  /** The measure that is drawn for groups and for the previous period. */
  headline: Measure
  /** Whether the measures are parts of a whole and are stacked. */
  isStacked: boolean
  format: (value: number | null) => string
  /** Number of runs behind a value; points with fewer than five are hollow. */
  samples: (point: SeriesPoint) => number
}

const seconds = (value: number | null) => formatLatency(value === null ? null : value * 1000)
const runs = (point: SeriesPoint) => point.run_count
const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
const measure = (id: string, label: string, color: string, read: Measure['read']): Measure => ({
  id,
  label,
  color,
  read,
})

const METRICS: Record<Exclude<ChartMetric, 'errors' | 'feedback'>, Metric> = {
  runs: {
    label: 'Volume',
    description: 'Number of runs',
    measures: [
      measure('ok', 'ok', 'series-blue', (point) => point.run_count - point.error_count),
      measure('error', 'failed', 'err', (point) => point.error_count),
    ],
    headline: measure('all', 'runs', 'series-blue', runs),
    isStacked: true,
    format: formatCount,
    samples: () => Number.POSITIVE_INFINITY,
  },
  error_rate: {
    label: 'Error rate',
    description: 'Share of runs that failed',
    measures: [measure('rate', 'failed', 'err', (point) => share(point.error_count, point.run_count))],
    headline: measure('rate', 'failed', 'err', (point) => share(point.error_count, point.run_count)),
    isStacked: false,
    format: formatRate,
    samples: runs,
  },
  latency: {
    label: 'Latency',
    description: 'Latency',
    measures: [
      measure('p50', 'p50', 'series-blue', (point) => point.latency_p50),
      measure('p95', 'p95', 'series-orange', (point) => point.latency_p95),
      measure('p99', 'p99', 'series-pink', (point) => point.latency_p99),
    ],
    headline: measure('p95', 'p95', 'series-orange', (point) => point.latency_p95),
    isStacked: false,
    format: seconds,
    samples: runs,
  },
  first_token: {
    label: 'Time to first token',
    description: 'Time to the first token',
    measures: [
      measure('p50', 'p50', 'series-blue', (point) => point.first_token_p50),
      measure('p99', 'p99', 'series-pink', (point) => point.first_token_p99),
    ],
    headline: measure('p50', 'p50', 'series-blue', (point) => point.first_token_p50),
    isStacked: false,
    format: seconds,
    samples: runs,
  },
  tokens: {
    label: 'Tokens',
    description: 'Tokens',
    measures: [
      measure('prompt', 'prompt', 'series-teal', (point) => point.prompt_tokens),
      measure('completion', 'completion', 'series-violet', (point) => point.completion_tokens),
    ],
    headline: measure('total', 'tokens', 'series-teal', (point) => point.total_tokens),
    isStacked: true,
    format: formatTokens,
    samples: () => Number.POSITIVE_INFINITY,
  },
  cost: {
    label: 'Cost',
    description: 'Cost',
    measures: [measure('cost', 'cost', 'series-green', (point) => point.total_cost)],
    headline: measure('cost', 'cost', 'series-green', (point) => point.total_cost),
    isStacked: true,
    format: (value) => formatCost(value === null ? null : String(value)),
    samples: () => Number.POSITIVE_INFINITY,
  },
}

/** The metric of a chart over time. */
export function getMetric(chart: Pick<DashboardChart, 'metric' | 'feedback_key'>): Metric {
  if (chart.metric === 'errors') throw new Error('Errors are counted, not drawn over time.')
  if (chart.metric !== 'feedback') return METRICS[chart.metric]
  const key = chart.feedback_key ?? ''
  const mean = measure('mean', 'average', 'series-gold', (point) => point.feedback[key]?.avg ?? null)
  return {
    label: `Feedback ${key}`,
    description: `Mean of ${key}`,
    measures: [mean],
    headline: mean,
    isStacked: false,
    format: formatScore,
    samples: (point) => point.feedback[key]?.n ?? 0,
  }
}

/** The title of a chart, or a default title. */
export function getChartLabel(chart: Pick<DashboardChart, 'metric' | 'feedback_key' | 'title'>): string {
  if (chart.title) return chart.title
  return chart.metric === 'errors' ? 'Top errors' : getMetric(chart).label
}

/** The built-in charts: one per metric. */
export function defaultCharts(feedbackKeys: readonly string[], scope: DashboardChart['scope']): DashboardChart[] {
  const chart = (metric: ChartMetric, more: Partial<DashboardChart> = {}): DashboardChart => ({
    id: metric,
    metric,
    scope,
    kind: 'line',
    size: 'small',
    ...more,
  })
  return [
    chart('runs', { kind: 'bar' }),
    chart('latency'),
    chart('error_rate'),
    chart('tokens', { kind: 'bar' }),
    chart('cost', { kind: 'bar' }),
    chart('first_token'),
    ...feedbackKeys.map((key) => chart('feedback', { id: `feedback-${key}`, feedback_key: key })),
    chart('errors', { kind: 'table', size: 'wide' }),
  ]
}

/** Moves a chart to an index, which is clamped to the list. */
export function moveChart(charts: readonly DashboardChart[], id: string, to: number): DashboardChart[] {
  const moved = charts.find((chart) => chart.id === id)
  if (moved === undefined) return [...charts]
  const others = charts.filter((chart) => chart.id !== id)
  const place = Math.min(Math.max(to, 0), others.length)
  return [...others.slice(0, place), moved, ...others.slice(place)]
}

/** Replaces the chart with the same id, or appends it. */
export function putChart(charts: readonly DashboardChart[], chart: DashboardChart): DashboardChart[] {
  return charts.some(({ id }) => id === chart.id)
    ? charts.map((one) => (one.id === chart.id ? chart : one))
    : [...charts, chart]
}

export function removeChart(charts: readonly DashboardChart[], id: string): DashboardChart[] {
  return charts.filter((chart) => chart.id !== id)
}
