import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { medianQuery } from '#data/runs-median.ts'
import { formatCount, formatLatency } from '#lib/format/format.ts'
import { useLate } from '#ui/use-late.tsx'

/** Fewer runs have no median worth the name. */
const LEAST_RUNS = 5

/** How a run's latency stands to the median of its like, once somebody looks at it for a moment. */
export function LatencyBesideMedian({ run, ms }: { run: Run; ms: number }) {
  const isLooking = useLate(true, 400)
  const { data } = useQuery({ ...medianQuery(run.session_id, run.name), enabled: isLooking })
  if (!data?.ms || data.count < LEAST_RUNS) return null
  const share = ms / data.ms
  const isSlow = share >= 2
  return (
    <span
      className={isSlow ? 'text-warn' : 'text-fg-subtle'}
      title={`Median of ${formatCount(data.count)} runs named ${run.name} in the last 24 h: ${formatLatency(data.ms)}`}
    >
      {' '}
      {share < 0.95 || share > 1.05 ? `${printShare(share)}× median` : '≈ median'}
    </span>
  )
}

function printShare(share: number): string {
  return share >= 10 ? formatCount(Math.round(share)) : share.toPrecision(2)
}
