import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { floatAt, intAt } from '#lib/columns.ts'
import { formatLatency, pluralize } from '#lib/format.ts'
import { useElementWidth, useTheme } from '#ui/hooks.tsx'
import { clampWindow, fitWindow, fromSqueezed, type TimeWindow, toFraction } from '../model/time-scale.ts'
import { ERROR, shownEndAt, type Trace } from '../model/trace.ts'
import { type Paint, usePaint } from './use-paint.ts'
import type { TracePlot } from './visualization.ts'

const HEIGHT = 40

export interface MinimapProps {
  trace: Trace
  plot: TracePlot
  /** The selected run, drawn as a line. */
  selected: number | undefined
}

/** Overview of the whole trace. Dragging sets the time in view; a double click shows all of it. */
export function Minimap({ trace, plot, selected }: MinimapProps) {
  const { drawn, squeeze, timeWindow, setTimeWindow, colors } = plot
  const canvas = useRef<HTMLCanvasElement>(null)
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [drag, setDrag] = useState<TimeWindow>()
  const whole = fitWindow(drawn.duration)

  const paint = usePaint(colors, useTheme())
  const { codes } = colors

  useEffect(() => {
    const pieces = canvas.current && draw(canvas.current, drawn, width, codes, paint)
    let frame = requestAnimationFrame(function next() {
      if (pieces && !pieces.next().done) frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [drawn, width, codes, paint])

  const timeAt = (event: PointerEvent) => {
    const left = box.current?.getBoundingClientRect().left ?? 0
    return (Math.min(Math.max(event.clientX - left, 0), width) / Math.max(width, 1)) * whole.to
  }
  const momentAt = (at: number) => (squeeze ? fromSqueezed(squeeze, at) : at)
  const shown = drag ? ordered(drag) : timeWindow
  const isZoomed = shown.from > 0 || shown.to < whole.to
  const [left, right] = [toFraction(whole, shown.from) * width, toFraction(whole, shown.to) * width]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys w, s, z and 0 do the same
    <div
      ref={box}
      className="relative shrink-0 cursor-crosshair touch-none overflow-hidden border-b border-border bg-sunken"
      style={{ height: HEIGHT }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = timeAt(event)
        setDrag({ from: at, to: at })
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: timeAt(event) })}
      onPointerUp={() => {
        const chosen = drag && ordered(drag)
        if (chosen && chosen.to - chosen.from > whole.to / 200) setTimeWindow(clampWindow(chosen, drawn.duration))
        setDrag(undefined)
      }}
      onPointerCancel={() => setDrag(undefined)}
      onDoubleClick={() => setTimeWindow(whole)}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={summarize(trace)}
        style={{ width, height: HEIGHT }}
        className="block"
      />
      {selected !== undefined && trace.parent[selected] !== -1 && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent/15"
          style={{
            left: toFraction(whole, floatAt(drawn.start, selected)) * width,
            width: Math.max(toFraction(whole, shownEndAt(drawn, selected) - floatAt(drawn.start, selected)) * width, 2),
          }}
        />
      )}
      {isZoomed && (
        <>
          <span className="absolute inset-y-0 left-0 bg-bg/70" style={{ width: left }} />
          <span className="absolute inset-y-0 right-0 bg-bg/70" style={{ left: right }} />
          <span
            className="absolute inset-y-0 border-x border-border-strong"
            style={{ left, width: Math.max(right - left, 2) }}
          />
          <span className="absolute right-1 top-1 rounded-control border border-border bg-surface px-1 text-meta tabular-nums text-fg-muted">
            {formatLatency(momentAt(shown.from) / 1000)} to {formatLatency(momentAt(shown.to) / 1000)}
          </span>
        </>
      )}
    </div>
  )
}

/** Runs painted per frame. */
const CHUNK = 5_000

function* draw(
  canvas: HTMLCanvasElement,
  trace: Trace,
  width: number,
  codes: Uint8Array,
  paint: Paint,
): Generator<void> {
  const context = canvas.getContext('2d')
  if (!context || width === 0) return
  const ratio = devicePixelRatio
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(HEIGHT * ratio)
  const perMicro = canvas.width / fitWindow(trace.duration).to
  const step = (canvas.height - 4 * ratio) / Math.max(trace.size, 8)
  const thickness = Math.max(step * 0.8, 1.5 * ratio)
  const fill = (row: number, height: number) => {
    const left = floatAt(trace.start, row) * perMicro
    const length = (shownEndAt(trace, row) - floatAt(trace.start, row)) * perMicro
    context.fillRect(left, 2 * ratio + row * step, Math.max(length, ratio), height)
  }
  const failed: number[] = []
  for (let row = 0; row < trace.size; row++) {
    if (row > 0 && row % CHUNK === 0) yield
    if (trace.status[row] === ERROR) {
      failed.push(row)
      continue
    }
    context.fillStyle = paint.classes[intAt(codes, row)]?.solid ?? paint.muted
    context.globalAlpha = intAt(trace.children, row) > 0 ? 0.45 : 1
    fill(row, thickness)
  }
  // Errors are painted last, above all other runs.
  context.fillStyle = paint.error.solid
  context.globalAlpha = 1
  for (const row of failed) fill(row, Math.max(thickness, 2 * ratio))
}

function ordered({ from, to }: TimeWindow): TimeWindow {
  return from <= to ? { from, to } : { from: to, to: from }
}

function summarize(trace: Trace): string {
  const errors = trace.subtreeErrors.reduce((sum, count, row) => sum + (trace.parent[row] === -1 ? count : 0), 0)
  return `Overview: ${pluralize(trace.size, 'run')} in ${formatLatency(trace.duration / 1000)}, ${errors} failed`
}
