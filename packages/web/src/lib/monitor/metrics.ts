import type { ChartMetric, DashboardChart, SeriesPoint } from '@touchstone/contract'
import { formatCost, formatCount, formatLatency, formatRate, formatScore, formatTokens } from '#lib/format.ts'

/** One measure of a bucket. Latencies are seconds; null where nothing is known. */
export interface Measure {
  id: string
  label: string
  /** Name of a colour token, without the dashes. */
  colour: string
  read: (point: SeriesPoint) => number | null
}

export interface Metric {
  label: string
  /** In words, for the summary of a chart. */
  says: string
  /** Measures without groups, in the order they are drawn. */
  measures: readonly Measure[]
  /** What stands for a group, and for the period before. */
  headline: Measure
  /** Measures are parts of a whole and are drawn on top of each other. */
  isStacked: boolean
  format: (value: number | null) => string
  /** Of how many runs a value was made; fewer than five are drawn hollow. */
  samples: (point: SeriesPoint) => number
}

const seconds = (value: number | null) => formatLatency(value === null ? null : value * 1000)
const runs = (point: SeriesPoint) => point.run_count
const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
const measure = (id: string, label: string, colour: string, read: Measure['read']): Measure => ({
  id,
  label,
  colour,
  read,
})

const METRICS: Record<Exclude<ChartMetric, 'errors' | 'feedback'>, Metric> = {
  runs: {
    label: 'Volume',
    says: 'Number of runs',
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
    says: 'Share of runs that failed',
    measures: [measure('rate', 'failed', 'err', (point) => share(point.error_count, point.run_count))],
    headline: measure('rate', 'failed', 'err', (point) => share(point.error_count, point.run_count)),
    isStacked: false,
    format: formatRate,
    samples: runs,
  },
  latency: {
    label: 'Latency',
    says: 'Latency',
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
    says: 'Time to the first token',
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
    says: 'Tokens',
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
    says: 'Cost',
    measures: [measure('cost', 'cost', 'series-green', (point) => point.total_cost)],
    headline: measure('cost', 'cost', 'series-green', (point) => point.total_cost),
    isStacked: true,
    format: (value) => formatCost(value === null ? null : String(value)),
    samples: () => Number.POSITIVE_INFINITY,
  },
}

/** What a chart over time draws. */
export function metricOf(chart: Pick<DashboardChart, 'metric' | 'feedback_key'>): Metric {
  if (chart.metric === 'errors') throw new Error('Errors are counted, not drawn over time.')
  if (chart.metric !== 'feedback') return METRICS[chart.metric]
  const key = chart.feedback_key ?? ''
  const mean = measure('mean', 'mean', 'series-gold', (point) => point.feedback[key]?.avg ?? null)
  return {
    label: `Feedback ${key}`,
    says: `Mean of ${key}`,
    measures: [mean],
    headline: mean,
    isStacked: false,
    format: formatScore,
    samples: (point) => point.feedback[key]?.n ?? 0,
  }
}

/** What a chart is called when nobody named it. */
export function labelOfChart(chart: Pick<DashboardChart, 'metric' | 'feedback_key' | 'title'>): string {
  if (chart.title) return chart.title
  return chart.metric === 'errors' ? 'Top errors' : metricOf(chart).label
}

/** The monitor as it comes: one chart per metric. */
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

/** The charts with one of them moved to a place, counted from 0; places beyond the ends are the ends. */
export function moveChart(charts: readonly DashboardChart[], id: string, to: number): DashboardChart[] {
  const moved = charts.find((chart) => chart.id === id)
  if (moved === undefined) return [...charts]
  const others = charts.filter((chart) => chart.id !== id)
  const place = Math.min(Math.max(to, 0), others.length)
  return [...others.slice(0, place), moved, ...others.slice(place)]
}

/** The charts with this one in place of the one of its id, or at the end. */
export function putChart(charts: readonly DashboardChart[], chart: DashboardChart): DashboardChart[] {
  return charts.some(({ id }) => id === chart.id)
    ? charts.map((one) => (one.id === chart.id ? chart : one))
    : [...charts, chart]
}

export function removeChart(charts: readonly DashboardChart[], id: string): DashboardChart[] {
  return charts.filter((chart) => chart.id !== id)
}
