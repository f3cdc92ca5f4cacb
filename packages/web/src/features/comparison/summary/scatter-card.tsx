import { type PointerEvent, useMemo, useState } from 'react'
import { formatCount, pluralize } from '#lib/format.ts'
import { useElementWidth } from '#ui/hooks.tsx'
import type { Comparison } from '../comparison.ts'
import { formatMeasure, getMeasureLabel } from '../format-measure.ts'
import { printMeasure } from '../logic/comparison-measures.ts'
import { findRange, listPairs, type Pair, toDots } from '../logic/distribution.ts'
import { printConditions } from '../logic/row-filter.ts'
import { Axes, ChartCard, createPlotScale, INSET, PLOT_HEIGHT, type PlotScale } from './chart-card.tsx'
import type { SummaryProps } from './outcomes-table.tsx'

interface ScatterCardProps extends SummaryProps {
  /** Index of the experiment that is compared with the baseline. */
  experiment: number
}

/** Each example by its value in the baseline and in an experiment. Dragging selects a range of both, which filters the rows. */
export function ScatterCard({ comparison, colors, experiment }: ScatterCardProps) {
  const { cells, measured, baseline, rows } = comparison
  const [base, other] = [cells.experiments[baseline], cells.experiments[experiment]]
  const all = useMemo(() => listPairs(measured, experiment, cells.exampleIds.keys()), [measured, experiment, cells])
  const shown = useMemo(() => listPairs(measured, experiment, rows), [measured, experiment, rows])
  if (base === undefined || other === undefined) return null
  const { measure } = measured
  const better = shown.filter(({ x, y }) => (measured.isLowerBetter ? y < x : y > x)).length
  const worse = shown.filter(({ x, y }) => (measured.isLowerBetter ? y > x : y < x)).length
  const title = `${getMeasureLabel(measure)}: ${other.name}`
  return (
    <ChartCard
      title={title}
      note={
        all.length === 0
          ? 'No example has a value in both'
          : `${measured.isLowerBetter ? 'Below' : 'Above'} the line is better. Drag to filter the examples.`
      }
    >
      {all.length > 0 && (
        <Scatter
          label={`${title} against ${base.name}. ${pluralize(shown.length, 'example')}: ${formatCount(better)} better, ${formatCount(worse)} worse. The filters above select examples by keyboard.`}
          all={all}
          shown={shown}
          color={colors.get(other.id) ?? 'accent'}
          xTitle={`in ${base.name}`.slice(0, 40)}
          format={(value) => formatMeasure(measure, value)}
          onBrush={(brush) => filterByBrush(comparison, base.id, other.id, brush)}
        />
      )}
    </ChartCard>
  )
}

/** Ranges of values. */
interface Brush {
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
}

/** Replaces the conditions of an earlier selection. */
function filterByBrush({ measured, filter, change }: Comparison, baseId: string, otherId: string, brush: Brush) {
  const on = printMeasure(measured.measure)
  const others = filter.conditions.filter((one) => one.on !== on || (one.of !== baseId && one.of !== otherId))
  const range = ([min, max]: readonly [number, number]) => ({ min: round(min), max: round(max) })
  const selected = [
    { of: baseId, on, ...range(brush.x) },
    { of: otherId, on, ...range(brush.y) },
  ]
  change({ filter: printConditions([...others, ...selected]) })
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}

interface ScatterProps {
  label: string
  all: readonly Pair[]
  /** Those that match the filters. */
  shown: readonly Pair[]
  color: string
  xTitle: string
  format: (value: number) => string
  onBrush: (brush: Brush) => void
}

function Scatter({ label, all, shown, color, xTitle, format, onBrush }: ScatterProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const range = useMemo(() => findRange(all.flatMap(({ x, y }) => [x, y])), [all])
  const scale = createPlotScale(width, range, range)
  const [faint, strong] = useMemo(() => [toDots(all), toDots(shown)], [all, shown])
  const isFiltered = shown.length < all.length
  return (
    <div ref={box} style={{ height: PLOT_HEIGHT }}>
      {width > 0 && (
        <BrushLayer width={width} label={label} scale={scale} range={range} onBrush={onBrush}>
          <Axes width={width} scale={scale} x={range} y={range} formatX={format} formatY={format} xTitle={xTitle} />
          <line
            x1={scale.toX(range[0])}
            y1={scale.toY(range[0])}
            x2={scale.toX(range[1])}
            y2={scale.toY(range[1])}
            stroke="var(--border-strong)"
            strokeDasharray="3 3"
          />
          {isFiltered && <Dots dots={faint} scale={scale} color="border-strong" opacity={0.35} />}
          <Dots dots={strong} scale={scale} color={color} opacity={0.7} />
        </BrushLayer>
      )}
    </div>
  )
}

interface DotsProps {
  dots: ReturnType<typeof toDots>
  scale: PlotScale
  color: string
  opacity: number
}

/** The area of a dot grows with its number of examples. */
function Dots({ dots, scale, color, opacity }: DotsProps) {
  return dots.map(({ x, y, count }) => (
    <circle
      key={`${x} ${y}`}
      cx={scale.toX(x)}
      cy={scale.toY(y)}
      r={Math.min(2.5 + Math.sqrt(count), 14)}
      fill={`var(--${color})`}
      opacity={opacity}
    >
      <title>{pluralize(count, 'example')}</title>
    </circle>
  ))
}

interface BrushLayerProps {
  width: number
  label: string
  scale: PlotScale
  range: readonly [number, number]
  onBrush: (brush: Brush) => void
  children: React.ReactNode
}

/** Below this size in px, a drag is a click. */
const LEAST_DRAG = 4

function BrushLayer({ width, label, scale, range, onBrush, children }: BrushLayerProps) {
  const [drag, setDrag] = useState<{ from: readonly [number, number]; to: readonly [number, number] }>()
  const at = (event: PointerEvent<SVGSVGElement>): readonly [number, number] => {
    const box = event.currentTarget.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  function end() {
    setDrag(undefined)
    if (drag === undefined) return
    const [[x1, y1], [x2, y2]] = [drag.from, drag.to]
    if (Math.abs(x1 - x2) < LEAST_DRAG && Math.abs(y1 - y2) < LEAST_DRAG) return
    const toValue = (position: number, of: (value: number) => number) => {
      const [low, high] = [of(range[0]), of(range[1])]
      return high === low ? range[0] : range[0] + ((position - low) / (high - low)) * (range[1] - range[0])
    }
    onBrush({
      x: [toValue(Math.min(x1, x2), scale.toX), toValue(Math.max(x1, x2), scale.toX)],
      y: [toValue(Math.max(y1, y2), scale.toY), toValue(Math.min(y1, y2), scale.toY)],
    })
  }
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={PLOT_HEIGHT}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: at(event), to: at(event) })
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: at(event) })}
      onPointerUp={end}
      onPointerCancel={() => setDrag(undefined)}
      className="cursor-crosshair touch-pan-y select-none"
    >
      {children}
      {drag && (
        <rect
          x={Math.max(Math.min(drag.from[0], drag.to[0]), INSET.left)}
          y={Math.min(drag.from[1], drag.to[1])}
          width={Math.abs(drag.from[0] - drag.to[0])}
          height={Math.abs(drag.from[1] - drag.to[1])}
          fill="var(--accent)"
          opacity={0.2}
        />
      )}
    </svg>
  )
}
