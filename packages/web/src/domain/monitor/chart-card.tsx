import { useQuery } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { ChartLine, Table2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { monitorQuery } from '#data/monitor.ts'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { getChartLabel } from '#lib/monitor/metrics.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { IconButton } from '#ui/button.tsx'
import { ErrorState, PaneBoundary, Skeleton } from '#ui/states.tsx'
import { RunsLink, toChartRuns, useChartContext } from './chart-context.tsx'
import { SeriesChart } from './series-chart.tsx'

export interface ChartCardProps {
  chart: DashboardChart
  isTable: boolean
  onTable: (isTable: boolean) => void
  /** More buttons in the header. */
  actions?: ReactNode
}

/** A chart with its header. It loads when it scrolls into view, and its failure does not affect other charts. */
export function ChartCard({ chart, isTable, onTable, actions }: ChartCardProps) {
  const [ref, isSeen] = useSeen()
  const label = getChartLabel(chart)
  return (
    <section
      ref={ref}
      aria-label={label}
      data-chart={chart.id}
      className={cx('flex min-w-0 flex-col rounded-card border border-border bg-surface', SPANS[chart.size])}
    >
      <header className="flex h-9 items-center gap-1 px-3">
        <h2 className="min-w-0 truncate text-row font-semibold">{label}</h2>
        <span className="ml-auto flex items-center">
          {actions}
          {chart.metric !== 'errors' && (
            <IconButton
              icon={isTable ? ChartLine : Table2}
              label={isTable ? 'View as chart' : 'View as table'}
              pressed={isTable}
              onClick={() => onTable(!isTable)}
            />
          )}
        </span>
      </header>
      <div className="min-h-[192px] px-2 pb-1">
        {isSeen && (
          <PaneBoundary title="Could not show this chart">
            {chart.metric === 'errors' ? (
              <ErrorsChart chart={chart} />
            ) : (
              <SeriesChart chart={chart} isTable={isTable} />
            )}
          </PaneBoundary>
        )}
      </div>
    </section>
  )
}

const SPANS: Record<DashboardChart['size'], string> = {
  small: '',
  wide: 'lg:col-span-2',
  full: 'lg:col-span-2 xl:col-span-3',
}

/** Becomes true when the element is near the viewport for the first time. */
function useSeen() {
  const ref = useRef<HTMLElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!ref.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setSeen(true)
        observer.disconnect()
      },
      { rootMargin: '200px' },
    )
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return [ref, isSeen] as const
}

/** The most frequent errors by their first line, each with a link to its runs. */
function ErrorsChart({ chart }: { chart: DashboardChart }) {
  const context = useChartContext()
  const { bounds } = context.window
  const runs = toChartRuns(context, chart)
  const read = useQuery(monitorQuery.errors(runs, bounds))
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load errors" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (!read.data) return <Skeleton className="m-2 h-40" />
  const { errors, total } = read.data
  const [mostFrequent] = errors
  if (mostFrequent === undefined)
    return <p className="flex h-[168px] items-center justify-center text-row text-fg-muted">No errors in this range</p>
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
              style={{ width: `${(n / mostFrequent.n) * 100}%` }}
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
