import type { ChartMetric, DashboardChart, SERIES_DISTINCT, SeriesFigures } from '@touchstone/contract'
import { formatCost, formatCount, formatLatency, formatRate, formatScore, formatTokens } from '#lib/format.ts'
import { describeCost } from '#lib/reported-cost.ts'

/** One measure of a bucket or of a whole range. Latencies are in seconds; null when unknown. */
export interface Measure {
  id: string
  label: string
  /** Name of a color token, without the dashes. */
  color: string
  read: (figures: SeriesFigures) => number | null
  /** Lengths of dashes and gaps in px, for a line whose color not everyone can tell from the others. @default solid */
  dash?: readonly number[]
}

export interface Metric {
  label: string
  /** Text for the summary of a chart. */
  description: string
  /** Measures without groups, in drawing order. */
  measures: readonly Measure[]
  /** The measure of the figure of a chart; drawn for groups and for the previous period. */
  headline: Measure
  /** What the figure of a chart is, after its value: `p95 latency`. */
  caption: string
  /** Whether the measures are parts of a whole and are stacked, and the values of buckets and groups add up. */
  isStacked: boolean
  /** Whether the values are shares, whose change is given in percentage points. */
  isRate?: boolean
  /** What a higher value means. */
  more: 'bad' | 'neutral'
  format: (value: number | null) => string
  /** Number of runs behind a value; points with fewer than five are hollow. */
  samples: (figures: SeriesFigures) => number
  /** What has to be said about the value of a whole range; undefined when there is nothing. */
  note?: (figures: SeriesFigures) => string | undefined
  /** What the API has to count for this metric. */
  distinct?: (typeof SERIES_DISTINCT)[number]
}

const seconds = (value: number | null) => formatLatency(value === null ? null : value * 1000)
const runs = (figures: SeriesFigures) => figures.run_count
const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
const enough = () => Number.POSITIVE_INFINITY
const measure = (id: string, label: string, color: string, read: Measure['read']): Measure => ({
  id,
  label,
  color,
  read,
})

const failedShare = measure('rate', 'error rate', 'err', (figures) => share(figures.error_count, figures.run_count))
const p99 = (read: Measure['read']): Measure => ({ ...measure('p99', 'p99', 'series-pink', read), dash: [2, 3] })
const latencyP95 = measure('p95', 'p95', 'series-orange', (figures) => figures.latency_p95)
const firstTokenP50 = measure('p50', 'p50', 'series-blue', (figures) => figures.first_token_p50)
const cost = measure('cost', 'cost', 'series-green', (figures) => figures.total_cost)
const threads = measure('threads', 'threads', 'series-violet', (figures) => figures.thread_count)
const users = measure('users', 'users', 'series-violet', (figures) => figures.user_count)

const METRICS: Record<Exclude<ChartMetric, 'errors' | 'feedback'>, Metric> = {
  runs: {
    label: 'Volume',
    description: 'Number of runs',
    measures: [
      measure('ok', 'ok', 'series-blue', (figures) => figures.run_count - figures.error_count),
      measure('error', 'failed', 'err', (figures) => figures.error_count),
    ],
    headline: measure('all', 'runs', 'series-blue', runs),
    caption: 'runs',
    isStacked: true,
    more: 'neutral',
    format: formatCount,
    samples: enough,
  },
  error_rate: {
    label: 'Error rate',
    description: 'Share of runs that failed',
    measures: [failedShare],
    headline: failedShare,
    caption: 'of runs failed',
    isStacked: false,
    isRate: true,
    more: 'bad',
    format: formatRate,
    samples: runs,
  },
  latency: {
    label: 'Latency',
    description: 'Latency',
    measures: [
      measure('p50', 'p50', 'series-blue', (figures) => figures.latency_p50),
      latencyP95,
      p99((figures) => figures.latency_p99),
    ],
    headline: latencyP95,
    caption: 'p95 latency',
    isStacked: false,
    more: 'bad',
    format: seconds,
    samples: runs,
  },
  first_token: {
    label: 'Time to first token',
    description: 'Time to the first token',
    measures: [firstTokenP50, p99((figures) => figures.first_token_p99)],
    headline: firstTokenP50,
    caption: 'p50 time to first token',
    isStacked: false,
    more: 'bad',
    format: seconds,
    samples: runs,
  },
  tokens: {
    label: 'Tokens',
    description: 'Tokens',
    measures: [
      measure('prompt', 'prompt', 'series-teal', (figures) => figures.prompt_tokens),
      measure('completion', 'completion', 'series-violet', (figures) => figures.completion_tokens),
    ],
    headline: measure('total', 'tokens', 'series-teal', (figures) => figures.total_tokens),
    caption: 'tokens',
    isStacked: true,
    more: 'neutral',
    format: formatTokens,
    samples: enough,
  },
  cost: {
    label: 'Cost',
    description: 'Cost',
    measures: [cost],
    headline: cost,
    caption: 'total cost',
    isStacked: true,
    more: 'neutral',
    format: (value) => formatCost(value === null ? null : String(value)),
    samples: enough,
    note: ({ total_cost, reported_cost, unpriced_fees }) =>
      describeCost({ total: total_cost, reported: reported_cost, fees: unpriced_fees }),
  },
  threads: {
    label: 'Threads',
    description: 'Number of threads',
    measures: [threads],
    headline: threads,
    caption: 'threads',
    isStacked: false,
    more: 'neutral',
    format: formatCount,
    samples: enough,
    distinct: 'threads',
  },
  users: {
    label: 'Users',
    description: 'Number of users',
    measures: [users],
    headline: users,
    caption: 'users',
    isStacked: false,
    more: 'neutral',
    format: formatCount,
    samples: enough,
    distinct: 'users',
  },
}

type MetricChart = Pick<DashboardChart, 'metric' | 'feedback_key'>

/** The metric of a chart over time. */
export function getMetric(chart: MetricChart): Metric {
  if (chart.metric === 'errors') throw new Error('Errors are counted, not drawn over time.')
  if (chart.metric !== 'feedback') return METRICS[chart.metric]
  const key = chart.feedback_key ?? ''
  const mean = measure('mean', 'average', 'series-gold', (figures) => figures.feedback[key]?.avg ?? null)
  return {
    label: `Feedback ${key}`,
    description: `Mean of ${key}`,
    measures: [mean],
    headline: mean,
    caption: 'average score',
    isStacked: false,
    more: 'neutral',
    format: formatScore,
    samples: (figures) => figures.feedback[key]?.n ?? 0,
  }
}

/** What the API has to count for some charts, sorted, so that the order of the charts does not matter. */
export function collectDistinct(charts: readonly MetricChart[]): readonly (typeof SERIES_DISTINCT)[number][] {
  const counted = charts.flatMap((chart) => (chart.metric === 'errors' ? [] : (getMetric(chart).distinct ?? [])))
  return [...new Set(counted)].sort()
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
