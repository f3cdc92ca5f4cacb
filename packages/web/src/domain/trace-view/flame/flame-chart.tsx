import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { formatCount, formatLatency } from '#lib/format/format.ts'
import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import { drawnTypeAt } from '#lib/trace-model/filter-runs.ts'
import { around, fractionOf, pan, type TimeWindow, zoom } from '#lib/trace-model/time-scale.ts'
import { nameAt, STATUSES, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import { useElementWidth } from '#ui/use-element-width.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { useTheme } from '../../../ui/use-theme.tsx'
import { MeasureLayer } from '../measure-layer.tsx'
import type { PictureProps } from '../picture.ts'
import { RunCard } from '../run-card.tsx'
import { Breaks, TimeAxis } from '../time-axis.tsx'
import { usePaint } from '../use-paint.ts'
import { drawFlame, type FlamePicture, LEVEL_HEIGHT, runAt } from './draw-flame.ts'
import { besideOf, longestChild } from './walk-flame.ts'

/** Pixels above the chart. */
const AXIS_HEIGHT = 20

interface Point {
  x: number
  y: number
}

/** A press that may become a drag, and where the picture was then. */
interface Press extends Point {
  window: TimeWindow
  scrollTop: number
  hasMoved: boolean
}

/** The trace as a flame chart: width is time, depth goes down, parallel work stands in levels of its own. */
export default function FlameChart(props: PictureProps) {
  const { trace, drawn, squeeze, window, onWindow, selected, onSelect, matches, critical, colours } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [view, setView] = useState({ scrollTop: 0, height: 0 })
  const [hover, setHover] = useState<Point & { row: number }>()
  const press = useRef<Press>(undefined)
  const paint = usePaint(colours, useTheme())
  const { codes } = colours
  const picture = useMemo<FlamePicture>(
    () => ({ trace, drawn, window, width, ...view, codes, paint, matches, critical, selected, hovered: hover?.row }),
    [trace, drawn, window, width, view, codes, paint, matches, critical, selected, hover?.row],
  )

  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && paintOn(canvas.current, picture))
    return () => cancelAnimationFrame(frame)
  }, [picture])

  const measure = useCallback(() => {
    const at = scroller.current
    if (at) setView({ scrollTop: at.scrollTop, height: at.clientHeight })
  }, [])
  useEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [measure])
  useWheel(scroller, (event) => {
    if (event.ctrlKey || event.metaKey) {
      const { left } = scroller.current!.getBoundingClientRect()
      const at = window.from + ((event.clientX - left) / Math.max(width, 1)) * (window.to - window.from)
      onWindow(zoom(window, event.deltaY < 0 ? 1.25 : 0.8, drawn.duration, at))
      return true
    }
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX
    if (Math.abs(across) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return false
    onWindow(pan(window, across / Math.max(width, 1), drawn.duration))
    return true
  })

  // A run that was chosen elsewhere comes into view.
  useEffect(() => {
    const at = scroller.current
    if (!at || selected === undefined) return
    const top = intAt(trace.level, selected) * LEVEL_HEIGHT
    if (top < at.scrollTop || top + LEVEL_HEIGHT > at.scrollTop + at.clientHeight) {
      at.scrollTop = top - at.clientHeight / 2
    }
  }, [trace, selected])

  const pointOf = (event: PointerEvent): Point => {
    const { left, top } = canvas.current!.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  const onMove = (event: PointerEvent) => {
    const point = pointOf(event)
    const from = press.current
    if (!from) {
      const row = runAt(picture, point.x, point.y)
      return setHover(row === undefined ? undefined : { ...point, row })
    }
    if (!from.hasMoved && Math.hypot(point.x - from.x, point.y - from.y) < 4) return
    from.hasMoved = true
    setHover(undefined)
    onWindow(pan(from.window, (from.x - point.x) / Math.max(width, 1), drawn.duration))
    scroller.current!.scrollTop = from.scrollTop + from.y - point.y
  }
  const onUp = (event: PointerEvent) => {
    const from = press.current
    press.current = undefined
    if (!from || from.hasMoved) return
    const point = pointOf(event)
    const row = runAt(picture, point.x, point.y)
    if (row !== undefined) onSelect(row)
  }

  const walk = (to: number | undefined) => {
    if (to === undefined || to === -1) return
    onSelect(to)
    if (floatAt(drawn.start, to) > window.to || shownEnd(drawn, to) < window.from) onWindow(centred(window, drawn, to))
  }
  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowdown', label: 'Longest child', run: () => walk(longestChild(trace, selected ?? 0)) },
      { keys: 'arrowup', label: 'Parent', run: () => selected !== undefined && walk(trace.parent[selected]) },
      { keys: 'arrowright', label: 'Next on this level', run: () => walk(besideOf(trace, selected ?? 0, 1)) },
      { keys: 'arrowleft', label: 'Previous on this level', run: () => walk(besideOf(trace, selected ?? 0, -1)) },
      {
        keys: 'enter',
        label: 'Zoom to the run',
        run: () =>
          selected !== undefined &&
          onWindow(around(floatAt(drawn.start, selected), shownEnd(drawn, selected), drawn.duration)),
      },
    ],
    scroller,
  )

  return (
    <div ref={box} className="relative flex min-h-0 flex-1 flex-col">
      <div className="h-5 shrink-0 border-b border-border">
        <TimeAxis window={window} width={width} squeeze={squeeze} />
      </div>
      <MeasureLayer window={window} squeeze={squeeze} left={0} width={width}>
        <div
          ref={scroller}
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: one walks in this picture by arrow keys
          tabIndex={0}
          data-pane="tree"
          aria-label="Flame chart"
          aria-describedby="flame-summary"
          className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
          onScroll={measure}
          onPointerDown={(event) => {
            if (event.button !== 0 || event.shiftKey || event.target !== canvas.current) return
            event.currentTarget.setPointerCapture(event.pointerId)
            press.current = { ...pointOf(event), window, scrollTop: scroller.current!.scrollTop, hasMoved: false }
          }}
          onPointerMove={onMove}
          onPointerUp={onUp}
          onPointerCancel={() => {
            press.current = undefined
          }}
          onPointerLeave={() => setHover(undefined)}
          onDoubleClick={() =>
            hover && onWindow(around(floatAt(drawn.start, hover.row), shownEnd(drawn, hover.row), drawn.duration))
          }
        >
          <canvas ref={canvas} aria-hidden className="sticky top-0 block" style={{ width, height: view.height }} />
          <div style={{ height: Math.max(trace.levels * LEVEL_HEIGHT + 8 - view.height, 0) }} />
        </div>
        {squeeze && (
          <div aria-hidden className="pointer-events-none absolute inset-0 overflow-hidden">
            <Breaks window={window} width={width} squeeze={squeeze} />
          </div>
        )}
      </MeasureLayer>
      <p id="flame-summary" className="sr-only">
        {summaryOf(trace)}
      </p>
      <p role="status" className="sr-only">
        {selected !== undefined && describe(trace, selected)}
      </p>
      {hover && (
        <RunCard
          trace={trace}
          row={hover.row}
          left={hover.x}
          top={hover.y + AXIS_HEIGHT}
          within={{ width, height: view.height + AXIS_HEIGHT }}
        />
      )}
    </div>
  )
}

function paintOn(canvas: HTMLCanvasElement, picture: FlamePicture): void {
  const context = canvas.getContext('2d')
  if (!context || picture.width === 0 || picture.height === 0) return
  const ratio = devicePixelRatio
  const [width, height] = [Math.round(picture.width * ratio), Math.round(picture.height * ratio)]
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  drawFlame(context, picture)
}

/** Hears the wheel and may keep it from scrolling, which React's own listener cannot. */
function useWheel(element: React.RefObject<HTMLElement | null>, hear: (event: WheelEvent) => boolean) {
  const latest = useRef(hear)
  useEffect(() => {
    latest.current = hear
  })
  useEffect(() => {
    const at = element.current
    const listen = (event: WheelEvent) => {
      if (latest.current(event)) event.preventDefault()
    }
    at?.addEventListener('wheel', listen, { passive: false })
    return () => at?.removeEventListener('wheel', listen)
  }, [element])
}

function centred(window: TimeWindow, trace: Trace, row: number): TimeWindow {
  const middle = (floatAt(trace.start, row) + shownEnd(trace, row)) / 2
  return pan(window, fractionOf(window, middle) - 0.5, trace.duration)
}

function summaryOf(trace: Trace): string {
  return `${formatCount(trace.size)} runs on ${formatCount(trace.levels)} levels in ${formatLatency(trace.duration / 1000)}. Arrow keys walk from run to run, Enter zooms. The tree view lists the same runs as text.`
}

function describe(trace: Trace, row: number): string {
  const duration = formatLatency((shownEnd(trace, row) - floatAt(trace.start, row)) / 1000)
  return `${nameAt(trace, row)}, ${drawnTypeAt(trace, row)}, ${STATUSES[intAt(trace.status, row)]}, ${duration}, level ${intAt(trace.level, row) + 1}`
}
