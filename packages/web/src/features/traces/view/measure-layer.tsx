import { type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { formatLatency } from '#lib/format.ts'
import { fromSqueezed, type Squeeze, type TimeWindow, toFraction } from '../model/time-scale.ts'

export interface MeasureLayerProps {
  timeWindow: TimeWindow
  squeeze: Squeeze | undefined
  /** Pixels from the left edge at which the window begins, and its width. */
  left: number
  width: number
  children: ReactNode
}

/** Measures time: dragging with Shift marks a time range and shows its length until the next press. */
export function MeasureLayer({ timeWindow, squeeze, left, width, children }: MeasureLayerProps) {
  const layer = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<TimeWindow>()
  const isDragging = useRef(false)
  const timeAt = (event: PointerEvent) => {
    const x = event.clientX - (layer.current?.getBoundingClientRect().left ?? 0) - left
    return timeWindow.from + (Math.min(Math.max(x, 0), width) / Math.max(width, 1)) * (timeWindow.to - timeWindow.from)
  }
  const toTraceTime = (at: number) => (squeeze ? fromSqueezed(squeeze, at) : at)
  const from = range && Math.min(range.from, range.to)
  const to = range && Math.max(range.from, range.to)
  return (
    <div
      ref={layer}
      className="relative flex min-h-0 flex-1 flex-col"
      onPointerDownCapture={(event) => {
        setRange(undefined)
        if (!event.shiftKey || event.button !== 0) return
        event.stopPropagation()
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        isDragging.current = true
        const at = timeAt(event)
        setRange({ from: at, to: at })
      }}
      onPointerMoveCapture={(event) => {
        if (!isDragging.current || !range) return
        event.stopPropagation()
        setRange({ from: range.from, to: timeAt(event) })
      }}
      onPointerUpCapture={(event) => {
        if (!isDragging.current) return
        event.stopPropagation()
        isDragging.current = false
      }}
      // The click that ends a measurement selects nothing.
      onClickCapture={(event) => event.shiftKey && event.stopPropagation()}
    >
      {children}
      {from !== undefined && to !== undefined && to > from && (
        <div
          className="pointer-events-none absolute inset-y-0 z-20 border-x border-accent bg-accent/10"
          style={{
            left: left + toFraction(timeWindow, from) * width,
            width: ((to - from) / (timeWindow.to - timeWindow.from)) * width,
          }}
        >
          <output className="absolute left-1/2 top-1 -translate-x-1/2 whitespace-nowrap rounded-control border border-border bg-surface px-1.5 text-row tabular-nums shadow-layer">
            {formatLatency((toTraceTime(to) - toTraceTime(from)) / 1000)}
          </output>
        </div>
      )}
    </div>
  )
}
