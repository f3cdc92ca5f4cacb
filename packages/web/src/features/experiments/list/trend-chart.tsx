import { Table2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { IconButton } from '#ui/button.tsx'
import { useElementWidth } from '#ui/hooks.tsx'
import type { Trend, TrendPoint } from '../trend.ts'

export interface TrendChartProps {
  trend: Trend
  /** Name of the axis, e.g. "time". */
  xName: string
  /** Selected experiments with the color token of each. */
  selected: ReadonlyMap<string, string>
  onPick: (id: string) => void
  /** Called with the experiments of a range of the axis that was dragged over. */
  onZoom: (ids: readonly string[]) => void
}

/**
 * One metric of all experiments: a dot and its interval for each, and the baseline as a line. A click picks an experiment;
 * dragging with a mouse zooms to a range of the axis.
 */
export function TrendChart(props: TrendChartProps) {
  const { trend, xName } = props
  const [isTable, setTable] = useState(false)
  const [shown, setShown] = useState<TrendPoint>()
  return (
    <figure
      aria-label={`${trend.label} by ${xName}`}
      className="flex w-72 min-w-0 shrink-0 grow basis-72 flex-col rounded-card border border-border bg-surface sm:max-w-96"
    >
      <figcaption className="flex h-8 min-w-0 items-center gap-2 pl-2.5 pr-0.5 text-row">
        <span className="truncate font-medium" title={trend.label}>
          {trend.label}
        </span>
        <span aria-hidden className="min-w-0 flex-1 truncate text-right text-meta text-fg-muted">
          {shown ? `${shown.name}: ${shown.value}` : describeMissing(trend)}
        </span>
        <IconButton
          icon={Table2}
          label={`${trend.label} as a table`}
          pressed={isTable}
          onClick={() => setTable(!isTable)}
        />
      </figcaption>
      {isTable ? <TrendTable {...props} /> : <TrendPlot {...props} onShow={setShown} />}
    </figure>
  )
}

function describeMissing({ points, missingCount }: Trend): string {
  if (points.length === 0) return 'no values'
  return missingCount === 0 ? '' : `${missingCount} without a value`
}

const HEIGHT = 118
const CHARACTER_WIDTH = 6.2
const [TOP, BOTTOM] = [6, 18]

interface TrendPlotProps extends TrendChartProps {
  onShow: (point?: TrendPoint) => void
}

/** A shorter drag, in px, is a click. */
const LEAST_DRAG = 6

/** A drag over the plot, in px from its left. */
function useZoom({ trend, onZoom }: Pick<TrendPlotProps, 'trend' | 'onZoom'>, toX: (share: number) => number) {
  const [drag, setDrag] = useState<{ from: number; to: number }>()
  const getX = (event: PointerEvent<HTMLElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left
  const isDragging = drag !== undefined && Math.abs(drag.to - drag.from) >= LEAST_DRAG
  const range = drag && { left: Math.min(drag.from, drag.to), right: Math.max(drag.from, drag.to) }
  return {
    range: isDragging ? range : undefined,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        // A finger scrolls the charts.
        if (event.button === 0 && event.pointerType !== 'touch') setDrag({ from: getX(event), to: getX(event) })
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (drag === undefined) return
        const to = getX(event)
        // Captured only now, so that a click still reaches a dot.
        if (Math.abs(to - drag.from) >= LEAST_DRAG) event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ ...drag, to })
      },
      onPointerUp() {
        setDrag(undefined)
        if (!isDragging || range === undefined) return
        const ids = trend.points.filter(({ x }) => toX(x) >= range.left && toX(x) <= range.right).map(({ id }) => id)
        if (ids.length > 0) onZoom(ids)
      },
      onPointerCancel: () => setDrag(undefined),
    },
  }
}

function TrendPlot({ trend, selected, onPick, onShow, onZoom }: TrendPlotProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const left = Math.max(...trend.yTicks.map(({ label }) => label.length * CHARACTER_WIDTH + 12), 36)
  const toX = (share: number) => left + share * Math.max(width - left - 10, 0)
  const toY = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)
  const { range, handlers } = useZoom({ trend, onZoom }, toX)
  return (
    <div ref={box} className="relative cursor-crosshair select-none" style={{ height: HEIGHT }} {...handlers}>
      {range && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 bg-accent opacity-20"
          style={{ left: range.left, width: range.right - range.left }}
        />
      )}
      {width > 0 && (
        <svg aria-hidden width={width} height={HEIGHT} className="absolute inset-0 text-meta">
          {trend.yTicks.map(({ y, label }) => (
            <g key={label}>
              <line x1={left} x2={width - 6} y1={toY(y)} y2={toY(y)} stroke="var(--border)" />
              <text x={left - 6} y={toY(y) + 3.5} textAnchor="end" fontSize={11} fill="var(--fg-subtle)">
                {label}
              </text>
            </g>
          ))}
          {trend.xTicks.map(({ x, label }, at) => (
            <text
              key={label}
              x={toX(x)}
              y={HEIGHT - 4}
              textAnchor={getAnchor(x, at, trend.xTicks.length)}
              fontSize={11}
              fill="var(--fg-subtle)"
            >
              {clip(label, (width - left) / trend.xTicks.length)}
            </text>
          ))}
          {trend.baselineY !== undefined && (
            <line
              x1={left}
              x2={width - 6}
              y1={toY(trend.baselineY)}
              y2={toY(trend.baselineY)}
              stroke="var(--fg-muted)"
              strokeDasharray="4 3"
            />
          )}
          {trend.points.map((point) => (
            <Dot key={point.id} point={point} color={selected.get(point.id)} toX={toX} toY={toY} />
          ))}
        </svg>
      )}
      {width > 0 && (
        <DotButtons points={trend.points} selected={selected} onPick={onPick} onShow={onShow} toX={toX} toY={toY} />
      )}
    </div>
  )
}

/** Labels near an edge stay inside the plot. */
function getAnchor(x: number, at: number, count: number): 'start' | 'middle' | 'end' {
  if (at === 0 && x < 0.15) return 'start'
  return at === count - 1 && x > 0.85 ? 'end' : 'middle'
}

/** Shortens a label to a width in px. */
function clip(label: string, width: number): string {
  const most = Math.max(Math.floor(width / CHARACTER_WIDTH) - 1, 3)
  return label.length <= most ? label : `${label.slice(0, most - 1)}…`
}

interface DotProps {
  point: TrendPoint
  color: string | undefined
  toX: (share: number) => number
  toY: (share: number) => number
}

function Dot({ point, color, toX, toY }: DotProps) {
  const stroke = color === undefined ? 'var(--accent)' : `var(--${color})`
  const [x, y] = [toX(point.x), toY(point.y)]
  return (
    <g stroke={stroke}>
      {point.interval && (
        <line x1={x} x2={x} y1={toY(point.interval[0])} y2={toY(point.interval[1])} strokeWidth={1.5} opacity={0.7} />
      )}
      {color !== undefined && <circle cx={x} cy={y} r={7} fill="none" strokeWidth={1.5} />}
      {point.isBaseline ? (
        <rect x={x - 4} y={y - 4} width={8} height={8} fill="var(--surface)" strokeWidth={2} />
      ) : (
        <circle cx={x} cy={y} r={3.5} fill={stroke} strokeWidth={0} />
      )}
    </g>
  )
}

interface DotButtonsProps extends Pick<DotProps, 'toX' | 'toY'> {
  points: readonly TrendPoint[]
  selected: ReadonlyMap<string, string>
  onPick: (id: string) => void
  onShow: (point?: TrendPoint) => void
}

/** Buttons over the dots. One of them is a stop of Tab; the arrows, Home and End move between them. */
function DotButtons({ points, selected, onPick, onShow, toX, toY }: DotButtonsProps) {
  const [stop, setStop] = useState(0)
  const tabStop = Math.min(stop, points.length - 1)
  function move(event: KeyboardEvent<HTMLElement>, at: number) {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: points.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const next = Math.min(Math.max(to, 0), points.length - 1)
    setStop(next)
    event.currentTarget.parentElement?.querySelectorAll('button')[next]?.focus()
  }
  return points.map((point, at) => (
    <button
      key={point.id}
      type="button"
      aria-pressed={selected.has(point.id)}
      aria-label={point.isBaseline ? `${point.description}, baseline` : point.description}
      tabIndex={at === tabStop ? 0 : -1}
      style={{ left: toX(point.x) - 12, top: toY(point.y) - 12 }}
      onClick={() => onPick(point.id)}
      onKeyDown={(event) => move(event, at)}
      onPointerEnter={() => onShow(point)}
      onPointerLeave={() => onShow(undefined)}
      onFocus={() => {
        setStop(at)
        onShow(point)
      }}
      onBlur={() => onShow(undefined)}
      className="absolute size-6 rounded-full"
    />
  ))
}

/** The same values in rows. */
function TrendTable({ trend, xName, selected, onPick }: TrendChartProps) {
  return (
    <div style={{ height: HEIGHT }} className="overflow-auto">
      <table aria-label={`Values of ${trend.label}`} className="w-full text-meta">
        <thead className="sticky top-0 bg-surface text-left text-fg-subtle">
          <tr>
            <th className="px-2 py-0.5 font-normal">Experiment</th>
            <th className="px-2 py-0.5 font-normal">{xName === 'time' ? 'Created' : xName}</th>
            <th className="px-2 py-0.5 text-right font-normal">{trend.label}</th>
          </tr>
        </thead>
        <tbody>
          {trend.points.map((point) => (
            <tr key={point.id} className="border-t border-border">
              <td className="max-w-32 px-2 py-0.5">
                <label className="flex min-w-0 items-center gap-1.5">
                  <input type="checkbox" checked={selected.has(point.id)} onChange={() => onPick(point.id)} />
                  <span className="truncate">{point.name}</span>
                </label>
              </td>
              <td className="max-w-24 truncate px-2 py-0.5">{point.xLabel}</td>
              <td className="num whitespace-nowrap px-2 py-0.5">{point.value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
