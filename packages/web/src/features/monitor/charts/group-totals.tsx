import type { Bucket, RunGrouping, RunSeries } from '@touchstone/contract'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount, formatRate } from '#lib/format.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { SortHeader } from '#ui/sort-header.tsx'
import { toGroupFilter } from '../logic/chart.ts'
import { type GroupSort, getCaption, listGroupTotals } from '../logic/figures.ts'
import type { Metric } from '../logic/metrics.ts'
import type { ChartRuns } from '../queries.ts'
import { RunsLink, useChartContext } from './chart-context.tsx'
import { OtherGroups } from './drill-down.tsx'

interface GroupTotalsProps {
  metric: Metric
  series: RunSeries
  group: RunGrouping
  runs: ChartRuns
  bucket: Bucket
}

/** The figure of each group over the whole range, folded until it is opened. */
export function GroupTotals(props: GroupTotalsProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const { attribute, path } = props.group
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex h-6 items-center gap-1 rounded-control px-1.5 text-meta text-fg-muted hover:bg-hover coarse:h-10"
      >
        <ChevronRight size={12} aria-hidden className={cx(isOpen && 'rotate-90')} />
        {`Totals by ${attribute === 'metadata' ? path : attribute === 'run_type' ? 'type' : attribute}`}
      </button>
      <div id={id}>{isOpen && <TotalsTable {...props} />}</div>
    </>
  )
}

function TotalsTable({ metric, series, group, runs, bucket }: GroupTotalsProps) {
  const { window } = useChartContext()
  const [sort, setSort] = useState<{ by: GroupSort; isDescending: boolean }>({ by: 'value', isDescending: true })
  const [isListing, setListing] = useState(false)
  const t = printTimeRange(window.bounds.from, window.bounds.to)
  const caption = getCaption(metric, runs.scope)
  const isCount = metric.headline.id === 'all'
  const columns: readonly (readonly [by: GroupSort, label: string])[] = [
    ['value', caption.charAt(0).toUpperCase() + caption.slice(1)],
    ['share', metric.isStacked ? 'Share' : `Share of ${runs.scope}`],
    ...(isCount ? [] : [['runs', runs.scope === 'traces' ? 'Traces' : 'Runs'] as const]),
  ]
  const header = (by: GroupSort, label: string) => (
    <SortHeader
      key={by}
      label={label}
      isText={by === 'label'}
      sorted={sort.by === by ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
      onSort={() => setSort({ by, isDescending: sort.by === by ? !sort.isDescending : by !== 'label' })}
    />
  )
  return (
    <div className="max-h-64 overflow-auto">
      <table className="w-full text-row tabular-nums">
        <caption className="sr-only">{caption} by group</caption>
        <thead className="sticky top-0 bg-surface text-meta text-fg-subtle">
          <tr>
            {header('label', 'Group')}
            {columns.map(([by, label]) => header(by, label))}
          </tr>
        </thead>
        <tbody>
          {listGroupTotals(metric, series, sort).map((total) => (
            <tr key={total.id} className="border-t border-border">
              <th scope="row" className="h-6 max-w-40 truncate px-1 text-left font-normal" title={total.label}>
                {total.group === undefined ? (
                  <button type="button" className="text-accent hover:underline" onClick={() => setListing(true)}>
                    {total.label}
                  </button>
                ) : (
                  <RunsLink
                    runs={runs}
                    t={t}
                    conditions={[toGroupFilter(group, total.group)]}
                    className="text-accent hover:underline"
                  >
                    {total.label}
                  </RunsLink>
                )}
              </th>
              <td className="whitespace-nowrap px-1 text-right">{metric.format(total.value)}</td>
              <td className="whitespace-nowrap px-1 text-right">{formatRate(total.share)}</td>
              {!isCount && <td className="whitespace-nowrap px-1 text-right">{formatCount(total.runCount)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {isListing && <OtherGroups runs={runs} group={group} bucket={bucket} onClose={() => setListing(false)} />}
    </div>
  )
}
