import type { TopMetric } from '#lib/datasets/last-experiment.ts'
import { formatScore } from '#lib/format.ts'

/** The mean score of a key, with its difference to the baseline of the dataset. */
export function MetricWithDelta({ metric }: { metric: TopMetric }) {
  const { key, mean, delta } = metric
  return (
    <span className="flex min-w-0 gap-1.5" title={describe(metric)}>
      <span className="min-w-0 truncate text-fg-muted">{key}</span>
      <span className="tabular-nums">{formatScore(mean)}</span>
      {delta !== undefined && <span className="tabular-nums text-fg-muted">({formatDelta(delta)})</span>}
    </span>
  )
}

function formatDelta(delta: number): string {
  const text = formatScore(Math.abs(delta))
  return Number(text) === 0 ? `±${text}` : `${delta < 0 ? '−' : '+'}${text}`
}

function describe({ key, mean, delta }: TopMetric): string {
  return delta === undefined ? `${key}: ${mean}` : `${key}: ${mean}, ${delta > 0 ? '+' : ''}${delta} vs. baseline`
}
