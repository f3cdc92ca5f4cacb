import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { formatAbsoluteTime, formatCount } from '#lib/format.ts'
import { useElementWidth } from './hooks.tsx'

export interface HistogramBar {
  /** Start, epoch ms. */
  atMs: number
  ok: number
  failed: number
  running: number
}

export interface HistogramProps {
  /** What is counted: "Traces". */
  label: string
  bars: readonly HistogramBar[]
  /** Length of a bar. */
  bucketMs: number
  /** The time range of the whole width. */
  fromMs: number
  toMs: number
  /** Called when the user selects a range with the mouse or the keyboard; from inclusive, to exclusive. */
  onBrush: (fromMs: number, toMs: number) => void
}

const HEIGHT = 40

/**
 * Counts over time. Dragging selects a range and a click selects one bar. With the keyboard: arrows move, Shift extends the
 * range, Enter selects it.
 */
export function Histogram({ label, bars, bucketMs, fromMs, toMs, onBrush }: HistogramProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [hoverMs, setHover] = useState<number>()
  /** Start and end of the drag, in ms. */
  const [span, setSpan] = useState<readonly [number, number]>()
  const isDrawing = useRef(false)

  const spanMs = Math.max(toMs - fromMs, 1)
  const toX = (ms: number) => ((ms - fromMs) / spanMs) * width
  const barStart = (ms: number) => getBucketStart(ms, bars, bucketMs, fromMs)
  const peak = Math.max(1, ...bars.map(countRuns))
  /** At least 1.5 px, so that a small count stays visible. */
  const height = (count: number) => (count > 0 ? Math.max((count / peak) * (HEIGHT - 4), 1.5) : 0)
  const barAt = (ms: number) => bars.find(({ atMs }) => atMs <= ms && ms < atMs + bucketMs)
  const focusMs = span ? barStart(span[1]) : hoverMs === undefined ? undefined : barStart(hoverMs)

  function msAt(event: PointerEvent): number {
    const { left } = event.currentTarget.getBoundingClientRect()
    return fromMs + (Math.min(Math.max(event.clientX - left, 0), width) / Math.max(width, 1)) * spanMs
  }
  function choose([a, b]: readonly [number, number]) {
    setSpan(undefined)
    onBrush(Math.max(barStart(Math.min(a, b)), fromMs), Math.min(barStart(Math.max(a, b)) + bucketMs, toMs))
  }
  function onKeyDown(event: KeyboardEvent) {
    const by = event.key === 'ArrowRight' ? bucketMs : event.key === 'ArrowLeft' ? -bucketMs : 0
    if (by !== 0) {
      event.preventDefault()
      event.stopPropagation()
      const at = Math.min(Math.max((span?.[1] ?? barStart(toMs - 1)) + (span ? by : 0), fromMs), toMs - 1)
      setSpan(event.shiftKey ? [span?.[0] ?? at, at] : [at, at])
    } else if (event.key === 'Enter' && span) {
      event.preventDefault()
      event.stopPropagation()
      choose(span)
    } else if (event.key === 'Escape' && span) {
      event.stopPropagation()
      setSpan(undefined)
    }
  }

  const total = bars.reduce((sum, bar) => sum + countRuns(bar), 0)
  const tip = focusMs === undefined ? undefined : describe(focusMs, barAt(focusMs))
  const [left, right] = span
    ? [toX(barStart(Math.min(...span))), toX(Math.min(barStart(Math.max(...span)) + bucketMs, toMs))]
    : [0, 0]
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={`${label} over time: ${formatCount(total)}. Use the arrow keys to move, Shift to extend, Enter to zoom.`}
      aria-valuemin={fromMs}
      aria-valuemax={toMs}
      aria-valuenow={Math.round(focusMs ?? toMs)}
      aria-valuetext={tip ?? 'No range selected'}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        isDrawing.current = true
        setSpan([msAt(event), msAt(event)])
      }}
      onPointerMove={(event) => {
        const at = msAt(event)
        setHover(at)
        if (isDrawing.current) setSpan((drawn) => drawn && [drawn[0], at])
      }}
      onPointerUp={() => {
        if (isDrawing.current && span) choose(span)
        isDrawing.current = false
      }}
      onPointerCancel={() => {
        isDrawing.current = false
        setSpan(undefined)
      }}
      onPointerLeave={() => setHover(undefined)}
      onBlur={() => setSpan(undefined)}
      onKeyDown={onKeyDown}
      className="relative h-10 min-w-0 flex-1 cursor-crosshair touch-pan-y select-none outline-offset-[-2px]"
    >
      <svg width={width} height={HEIGHT} aria-hidden className="block">
        {bars.map((bar) => {
          const x = toX(Math.max(bar.atMs, fromMs))
          const barWidth = Math.max(toX(Math.min(bar.atMs + bucketMs, toMs)) - x - 1, 1)
          const [failed, running, ok] = [height(bar.failed), height(bar.running), height(bar.ok)]
          const isLit = focusMs !== undefined && barStart(bar.atMs) === focusMs
          return (
            <g key={bar.atMs} opacity={focusMs === undefined || isLit ? 1 : 0.75}>
              <rect x={x} y={HEIGHT - ok - failed - running} width={barWidth} height={ok} fill="var(--border-strong)" />
              <rect x={x} y={HEIGHT - failed - running} width={barWidth} height={running} fill="var(--run)" />
              <rect x={x} y={HEIGHT - failed} width={barWidth} height={failed} fill="var(--err)" />
            </g>
          )
        })}
        <line x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--border)" />
        {span && (
          <rect x={left} y={0} width={Math.max(right - left, 1)} height={HEIGHT} fill="var(--accent)" opacity={0.2} />
        )}
      </svg>
      {tip !== undefined && focusMs !== undefined && (
        <div
          style={toX(focusMs) > width / 2 ? { right: width - toX(focusMs) + 4 } : { left: toX(focusMs + bucketMs) + 4 }}
          className="pointer-events-none absolute top-0 z-20 whitespace-nowrap rounded-control border border-border bg-surface px-1.5 text-meta text-fg shadow-layer"
        >
          {tip}
        </div>
      )}
    </div>
  )
}

function countRuns({ ok, failed, running }: HistogramBar): number {
  return ok + failed + running
}

/** Start of the bar at a time. The starts of the bars reflect the time zone. */
function getBucketStart(ms: number, bars: readonly HistogramBar[], bucketMs: number, fromMs: number): number {
  const anchor = bars[0]?.atMs ?? fromMs
  return (
    bars.find(({ atMs }) => atMs <= ms && ms < atMs + bucketMs)?.atMs ??
    anchor + Math.floor((ms - anchor) / bucketMs) * bucketMs
  )
}

function describe(atMs: number, bar: HistogramBar | undefined): string {
  const time = formatAbsoluteTime(new Date(atMs).toISOString()).replace(/:\d{2}(\.\d+)?$/, '')
  if (bar === undefined) return `${time} · none`
  const parts = [
    `${formatCount(countRuns(bar))}`,
    bar.failed > 0 && `${formatCount(bar.failed)} failed`,
    bar.running > 0 && `${formatCount(bar.running)} running`,
  ].filter(Boolean)
  return `${time} · ${parts.join(' · ')}`
}
