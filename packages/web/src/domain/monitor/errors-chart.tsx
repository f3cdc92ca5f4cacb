import { useQuery } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { monitorQuery } from '#data/monitor.ts'
import { formatCount } from '#lib/format/format.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RunsLink, useChartContext } from './chart-context.tsx'
import { toChartRuns } from './use-chart-series.ts'

/** The most frequent errors by their first line, each with a link to its runs. */
export function ErrorsChart({ chart }: { chart: DashboardChart }) {
  const context = useChartContext()
  const { bounds } = context.window
  const runs = toChartRuns(context, chart)
  const read = useQuery(monitorQuery.errors(runs, bounds))
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load errors" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (!read.data) return <Skeleton className="m-2 h-40" />
  const { errors, total } = read.data
  if (errors.length === 0)
    return <p className="flex h-[168px] items-center justify-center text-row text-fg-muted">No errors in this range</p>
  const most = errors[0]!.n
  const t = printTimeRange(bounds.from, bounds.to)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} role="region" aria-label="Errors by first line" className="max-h-[192px] overflow-auto">
      <ul>
        {errors.map(({ value, n, query }) => (
          <li key={value} className="relative">
            <span
              aria-hidden
              className="absolute inset-y-0.5 left-0 rounded-control bg-del-bg"
              style={{ width: `${(n / most) * 100}%` }}
            />
            <RunsLink
              runs={runs}
              t={t}
              conditions={[query]}
              className="relative flex h-7 items-center gap-3 px-2 text-row hover:underline coarse:h-10"
            >
              <span className="min-w-0 flex-1 truncate font-mono" title={value}>
                {value}
              </span>
              <span className="tabular-nums">{formatCount(n)}</span>
            </RunsLink>
          </li>
        ))}
      </ul>
      {total > errors.length && (
        <p className="px-2 py-1 text-meta text-fg-muted">
          Top {errors.length} of {formatCount(total)} errors
        </p>
      )}
    </div>
  )
}
