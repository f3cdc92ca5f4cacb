import { useQuery } from '@tanstack/react-query'
import type { Bucket, RunGrouping } from '@touchstone/contract'
import { type ChartRuns, monitorQuery } from '#data/monitor.ts'
import { formatCost, formatCount, formatRate, formatTokens } from '#lib/format/format.ts'
import { filterOfGroup } from '#lib/monitor/drill-down.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { useChartContext } from './chart-scene.ts'
import { RunsLink } from './runs-link.tsx'

export interface OtherGroupsProps {
  runs: ChartRuns
  group: RunGrouping
  bucket: Bucket
  onClose: () => void
}

/** The groups that share one line, each with its figures and the way to its runs. */
export function OtherGroups({ runs, group, bucket, onClose }: OtherGroupsProps) {
  const { window } = useChartContext()
  const read = useQuery(monitorQuery.otherGroups(runs, window.bounds, group, bucket))
  const t = printTimeRange(window.bounds.from, window.bounds.to)
  const rest = read.data?.other?.run_count ?? 0
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Other groups" width="max-w-2xl">
      {read.isPending && <SkeletonRows rows={6} label="Loading the groups" />}
      {read.isError && <ErrorState compact title="The groups could not be read" error={read.error} />}
      {read.data && (
        <table className="w-full text-row tabular-nums">
          <caption className="sr-only">Groups without a line of their own, the largest first</caption>
          <thead className="text-meta text-fg-subtle">
            <tr>
              <th scope="col" className="py-1 text-left font-normal">
                Group
              </th>
              {['Runs', 'Error rate', 'Tokens', 'Cost'].map((head) => (
                <th key={head} scope="col" className="py-1 pl-3 text-right font-normal">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {read.data.series.map(({ group: value, run_count, points }) => {
              const failed = points.reduce((sum, point) => sum + point.error_count, 0)
              const tokens = points.reduce((sum, point) => sum + point.total_tokens, 0)
              const costs = points.flatMap((point) => point.total_cost ?? [])
              const cost = costs.length === 0 ? null : String(costs.reduce((sum, one) => sum + one, 0))
              return (
                <tr key={value ?? ''} className="border-t border-border">
                  <th scope="row" className="max-w-64 truncate py-1 text-left font-normal">
                    <RunsLink
                      runs={runs}
                      t={t}
                      conditions={[filterOfGroup(group, value)]}
                      className="text-accent hover:underline"
                    >
                      {value ?? 'none'}
                    </RunsLink>
                  </th>
                  <td className="pl-3 text-right">{formatCount(run_count)}</td>
                  <td className="pl-3 text-right">{formatRate(run_count === 0 ? null : failed / run_count)}</td>
                  <td className="pl-3 text-right">{formatTokens(tokens)}</td>
                  <td className="pl-3 text-right">{formatCost(cost)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {rest > 0 && <p className="pt-2 text-row text-fg-muted">{formatCount(rest)} runs are in smaller groups.</p>}
    </Dialog>
  )
}
