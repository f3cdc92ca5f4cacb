import type { DashboardChart } from '@touchstone/contract'
import { GripVertical, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { IconButton } from '#ui/button.tsx'
import { getChartLabel, moveChart } from '../logic/metrics.ts'
import { ChartCard } from './chart-card.tsx'

export interface ChartGridProps {
  charts: readonly DashboardChart[]
  /** Ids of charts that are shown as tables. */
  tables: ReadonlySet<string>
  onTable: (id: string, isTable: boolean) => void
  /** Callbacks of the editing buttons. Without it the charts are read-only. */
  editing?:
    | {
        onEdit: (chart: DashboardChart) => void
        onRemove: (chart: DashboardChart) => void
        /** Shows charts while one is dragged; undefined shows the saved ones. */
        onPreview: (charts: readonly DashboardChart[] | undefined) => void
        onSave: (charts: readonly DashboardChart[]) => void
      }
    | undefined
}

/** The charts of a dashboard. A grip moves a chart, with the pointer or with the arrow keys. */
export function ChartGrid({ charts, tables, onTable, editing }: ChartGridProps) {
  const [announcement, setAnnouncement] = useState('')

  function step(event: KeyboardEvent, chart: DashboardChart) {
    const by = STEPS[event.key]
    if (by === undefined || !editing) return
    event.preventDefault()
    event.stopPropagation()
    const moved = moveChart(charts, chart.id, charts.indexOf(chart) + by)
    editing.onSave(moved)
    setAnnouncement(
      `${getChartLabel(chart)} is now ${moved.findIndex(({ id }) => id === chart.id) + 1} of ${charts.length}`,
    )
  }
  function drag(event: PointerEvent<HTMLElement>, chart: DashboardChart) {
    if (!editing || event.button !== 0) return
    event.preventDefault()
    event.currentTarget.focus()
    let order = charts
    const move = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const over = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-chart]')?.dataset.chart
      const to = order.findIndex(({ id }) => id === over)
      if (to < 0 || over === chart.id) return
      order = moveChart(order, chart.id, to)
      editing.onPreview(order)
    }
    const listeners = new AbortController()
    const end = ({ type }: globalThis.PointerEvent) => {
      listeners.abort()
      if (type === 'pointerup' && order !== charts) editing.onSave(order)
      else editing.onPreview(undefined)
    }
    // On the window: the grip leaves and re-enters the page while its chart moves.
    window.addEventListener('pointermove', move, listeners)
    window.addEventListener('pointerup', end, listeners)
    window.addEventListener('pointercancel', end, listeners)
  }

  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2 xl:grid-cols-3">
      {charts.map((chart) => (
        <ChartCard
          key={chart.id}
          chart={chart}
          isTable={tables.has(chart.id) !== (chart.kind === 'table')}
          onTable={(isTable) => onTable(chart.id, isTable !== (chart.kind === 'table'))}
          actions={
            editing && (
              <>
                <IconButton
                  icon={GripVertical}
                  label={`Move ${getChartLabel(chart)} with the arrow keys`}
                  className="cursor-grab touch-none"
                  onKeyDown={(event) => step(event, chart)}
                  onPointerDown={(event) => drag(event, chart)}
                />
                <IconButton
                  icon={Pencil}
                  label={`Edit ${getChartLabel(chart)}`}
                  onClick={() => editing.onEdit(chart)}
                />
                <IconButton
                  icon={Trash2}
                  label={`Remove ${getChartLabel(chart)}`}
                  onClick={() => editing.onRemove(chart)}
                />
              </>
            )
          }
        />
      ))}
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </div>
  )
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }
