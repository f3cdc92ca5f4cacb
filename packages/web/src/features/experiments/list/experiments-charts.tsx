import { ListChecks, ZoomOut } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatCount } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu, MenuCheck, MenuLabel } from '#ui/menu.tsx'
import type { ExperimentRow } from '../experiment-row.ts'
import { buildTrend, chooseTrendMetrics, getTrendLabel, listTrendMetrics } from '../trend.ts'
import { TrendChart } from './trend-chart.tsx'

interface ExperimentsChartsProps {
  rows: readonly ExperimentRow[]
  /** `time`, or a metadata key. */
  x: string
  /** Chosen metrics, separated by commas. */
  metric: string | undefined
  baselineId: string | undefined
  selected: ReadonlyMap<string, string>
  onMetric: (metric: string | undefined) => void
  onPick: (id: string) => void
}

/** A chart per metric, in one line that scrolls. */
export function ExperimentsCharts({ rows, x, metric, baselineId, selected, onMetric, onPick }: ExperimentsChartsProps) {
  const metrics = useMemo(() => chooseTrendMetrics(rows, metric), [rows, metric])
  const [zoom, setZoom] = useState<{ x: string; ids: ReadonlySet<string> }>()
  // A range of one axis has no meaning on another one.
  const zoomed = useMemo(() => {
    const found = zoom?.x === x ? rows.filter(({ id }) => zoom.ids.has(id)) : []
    return found.length > 0 ? found : undefined
  }, [rows, zoom, x])
  const trends = useMemo(
    () => metrics.map((id) => buildTrend(zoomed ?? rows, id, { x, baselineId })),
    [rows, zoomed, metrics, x, baselineId],
  )
  const toggle = (id: string) => {
    const next = metrics.includes(id) ? metrics.filter((one) => one !== id) : [...metrics, id]
    onMetric(next.length === 0 ? undefined : next.join())
  }
  return (
    <section aria-label="Charts" className="flex shrink-0 gap-2 overflow-x-auto border-b border-border bg-bg p-2">
      {trends.map((trend) => (
        <TrendChart
          key={trend.id}
          trend={trend}
          xName={x}
          selected={selected}
          onPick={onPick}
          onZoom={(ids) => setZoom({ x, ids: new Set(ids) })}
        />
      ))}
      {zoomed && (
        <Button className="self-start" onClick={() => setZoom(undefined)}>
          <ZoomOut size={13} aria-hidden />
          {formatCount(zoomed.length)} of {formatCount(rows.length)}: show all
        </Button>
      )}
      <Menu align="end" trigger={<IconButton icon={ListChecks} label="Choose charts" />}>
        <MenuLabel>Charts</MenuLabel>
        {listTrendMetrics(rows).map((id) => (
          <MenuCheck key={id} checked={metrics.includes(id)} onChange={() => toggle(id)}>
            {getTrendLabel(id)}
          </MenuCheck>
        ))}
      </Menu>
    </section>
  )
}
