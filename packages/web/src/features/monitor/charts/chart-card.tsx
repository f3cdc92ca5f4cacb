import type { DashboardChart } from '@touchstone/contract'
import { ChartLine, Table2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { IconButton } from '#ui/button.tsx'
import { PaneBoundary } from '#ui/states.tsx'
import { getChartLabel } from '../logic/metrics.ts'
import { ErrorGroups } from './error-groups.tsx'
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
      <div className="min-h-[224px] px-2 pb-1">
        {isSeen && (
          <PaneBoundary title="Could not show this chart">
            {chart.metric === 'errors' ? (
              <ErrorGroups chart={chart} />
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
