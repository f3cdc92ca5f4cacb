import type { UsageFigures } from '@touchstone/sdk'
import { formatBytes, formatCost, formatCount, formatTokens } from '#lib/format/format.ts'

/** What the bars of the page can show. */
export const METRICS = ['runs', 'bytes', 'tokens', 'cost'] as const
export type Metric = (typeof METRICS)[number]

interface MetricFormat {
  value: (figures: UsageFigures) => number
  text: (figures: UsageFigures) => string
}

/** How a figure is drawn and how it is written. */
export function getMetricFormat(metric: Metric): MetricFormat {
  return METRIC_FORMATS[metric]
}

const METRIC_FORMATS: Record<Metric, MetricFormat> = {
  runs: {
    value: (figures) => figures.run_count,
    text: (figures) => `${formatCount(figures.run_count)} ${figures.run_count === 1 ? 'run' : 'runs'}`,
  },
  bytes: { value: (figures) => figures.payload_bytes, text: (figures) => formatBytes(figures.payload_bytes) },
  tokens: {
    value: (figures) => figures.total_tokens,
    text: (figures) => `${formatTokens(figures.total_tokens)} tokens`,
  },
  cost: { value: (figures) => Number(figures.total_cost ?? 0), text: (figures) => formatCost(figures.total_cost) },
}
