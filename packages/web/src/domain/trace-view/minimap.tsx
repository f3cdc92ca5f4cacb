import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { formatLatency } from '#lib/format/format.ts'
import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import type { RunColours } from '#lib/trace-model/run-colors.ts'
import { type Squeeze, unsqueezed } from '#lib/trace-model/squeeze.ts'
import { clampWindow, fit, fractionOf, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import { ERROR, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import { useElementWidth } from '#ui/use-element-width.tsx'
import { useTheme } from '../../ui/use-theme.tsx'
import { type Paint, usePaint } from './use-paint.ts'

const HEIGHT = 40

export interface MinimapProps {
  trace: Trace
  /** The trace as it stands in time on the screen. */
  drawn: Trace
  squeeze: Squeeze | undefined
  window: TimeWindow
  onWindow: (window: TimeWindow) => void
  /** Run under the cursor of the list, drawn as a line. */
  selected: number | undefined
  colours: RunColours
}

/** The whole trace at a glance. Dragging chooses the stretch of time the lane shows; a double click shows all. */
export function Minimap({ trace, drawn, squeeze, window, onWindow, selected, colours }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [drag, setDrag] = useState<TimeWindow>()
  const whole = fit(drawn.duration)

  const paint = usePaint(colours, useTheme())
  const { codes } = colours

  useEffect(() => {
    const pieces = canvas.current && draw(canvas.current, drawn, width, codes, paint)
    let frame = requestAnimationFrame(function next() {
      if (pieces && !pieces.next().done) frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [drawn, width, codes, paint])

  const timeAt = (event: PointerEvent) => {
    const { left } = box.current!.getBoundingClientRect()
    return (Math.min(Math.max(event.clientX - left, 0), width) / Math.max(width, 1)) * whole.to
  }
  const momentAt = (at: number) => (squeeze ? unsqueezed(squeeze, at) : at)
  const shown = drag ? ordered(drag) : window
  const isZoomed = shown.from > 0 || shown.to < whole.to
  const [left, right] = [fractionOf(whole, shown.from) * width, fractionOf(whole, shown.to) * width]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a pointer's way to what the keys w, s, z and 0 do
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
        if (chosen && chosen.to - chosen.from > whole.to / 200) onWindow(clampWindow(chosen, drawn.duration))
        setDrag(undefined)
      }}
      onPointerCancel={() => setDrag(undefined)}
      onDoubleClick={() => onWindow(whole)}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={summaryOf(trace)}
        style={{ width, height: HEIGHT }}
        className="block"
      />
      {selected !== undefined && trace.parent[selected] !== -1 && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent/15"
          style={{
            left: fractionOf(whole, floatAt(drawn.start, selected)) * width,
            width: Math.max(fractionOf(whole, shownEnd(drawn, selected) - floatAt(drawn.start, selected)) * width, 2),
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

/** Runs that are painted before the page gets a frame in between. */
const PIECE = 5_000

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
  const perMicro = canvas.width / fit(trace.duration).to
  const step = (canvas.height - 4 * ratio) / Math.max(trace.size, 8)
  const thickness = Math.max(step * 0.8, 1.5 * ratio)
  const fill = (row: number, height: number) => {
    const left = floatAt(trace.start, row) * perMicro
    const length = (shownEnd(trace, row) - floatAt(trace.start, row)) * perMicro
    context.fillRect(left, 2 * ratio + row * step, Math.max(length, ratio), height)
  }
  const failed: number[] = []
  for (let row = 0; row < trace.size; row++) {
    if (row > 0 && row % PIECE === 0) yield
    if (trace.status[row] === ERROR) {
      failed.push(row)
      continue
    }
    context.fillStyle = paint.classes[intAt(codes, row)]!.solid
    context.globalAlpha = intAt(trace.children, row) > 0 ? 0.45 : 1
    fill(row, thickness)
  }
  // Last, so that nothing is painted over what matters.
  context.fillStyle = paint.error.solid
  context.globalAlpha = 1
  for (const row of failed) fill(row, Math.max(thickness, 2 * ratio))
}

function ordered({ from, to }: TimeWindow): TimeWindow {
  return from <= to ? { from, to } : { from: to, to: from }
}

function summaryOf(trace: Trace): string {
  const errors = trace.subtreeErrors.reduce((sum, count, row) => sum + (trace.parent[row] === -1 ? count : 0), 0)
  return `Overview: ${trace.size.toLocaleString('en-US')} runs in ${formatLatency(trace.duration / 1000)}, ${errors} failed`
}
