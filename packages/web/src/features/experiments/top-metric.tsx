import { useQuery } from '@tanstack/react-query'
import { TrendingDown, TrendingUp } from 'lucide-react'
import type { LastExperiment } from '#features/datasets/last-experiment.ts'
import { cx } from '#lib/browser.ts'
import { formatScore, formatScoreDelta } from '#lib/format.ts'
import { Skeleton } from '#ui/states.tsx'
import { describeDifference } from './difference.ts'
import { experimentQuery } from './queries.ts'

/** The mean score of the top key of an experiment, with its difference to the baseline. */
export function TopMetric({ experiment }: { experiment: LastExperiment }) {
  const { metric, baseline } = experiment
  if (metric === undefined) return null
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span className="min-w-0 truncate text-fg-muted" title={metric.key}>
        {metric.key}
      </span>
      <span className="tabular-nums" title={String(metric.mean)}>
        {formatScore(metric.mean)}
      </span>
      {baseline && <Difference experiment={experiment} metricKey={metric.key} baseline={baseline} />}
    </span>
  )
}

interface DifferenceProps {
  experiment: LastExperiment
  metricKey: string
  baseline: NonNullable<LastExperiment['baseline']>
}

/** Loaded while it is in view. Gray when it may be due to chance. */
function Difference({ experiment: { id, datasetId, metric }, metricKey, baseline }: DifferenceProps) {
  const differences = useQuery(
    experimentQuery.differences({
      datasetId,
      baselineId: baseline.id,
      experimentId: id,
      revision: `${metric?.count} ${metric?.mean}`,
    }),
  )
  if (differences.isError) return <span title="Could not load the difference to the baseline">!</span>
  if (differences.data === undefined) return <Skeleton className="w-9" />
  const comparison = differences.data.get(metricKey)
  const shown = comparison && describeDifference(comparison, baseline.name)
  if (shown === undefined) return null
  const Icon = shown.delta > 0 ? TrendingUp : TrendingDown
  return (
    <span title={shown.description} className={cx('inline-flex items-center gap-0.5 tabular-nums', TONES[shown.tone])}>
      {formatScoreDelta(shown.delta)}
      {shown.tone !== 'unclear' && <Icon size={12} role="img" aria-label={shown.tone} />}
    </span>
  )
}

const TONES = { better: 'text-ok', worse: 'text-err', unclear: 'text-fg-subtle' } as const
