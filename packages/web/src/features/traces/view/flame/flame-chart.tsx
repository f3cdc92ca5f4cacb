import { type PointerEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { floatAt, intAt } from '#lib/columns.ts'
import { formatLatency, pluralize } from '#lib/format.ts'
import { useElementWidth, useTheme } from '#ui/hooks.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { panWindow, type TimeWindow, toFraction, windowAround, zoomWindow } from '../../model/time-scale.ts'
import { nameAt, shownEndAt, statusAt, type Trace } from '../../model/trace.ts'
import { drawnTypeAt } from '../../model/visible-rows.ts'
import { MeasureLayer } from '../measure-layer.tsx'
import { RunCard } from '../run-card.tsx'
import { Breaks, TimeAxis } from '../time-axis.tsx'
import { usePaint } from '../use-paint.ts'
import type { TracePlot, VisualizationProps } from '../visualization.ts'
import { drawFlame, type FlameDrawing, findRunAt, LEVEL_HEIGHT } from './draw-flame.ts'

/** Pixels above the chart. */
const AXIS_HEIGHT = 20

interface Point {
  x: number
  y: number
}

/** A press that may become a drag, with the position of the chart at its start. */
interface Press extends Point {
  timeWindow: TimeWindow
  scrollTop: number
  hasMoved: boolean
}

/** Movement in px up to which a press is a click. */
const CLICK_PX = 4

/** The trace as a flame chart: width is time, depth goes down, parallel runs have levels of their own. */
export default function FlameChart(props: VisualizationProps) {
  const { trace, plot, selected, onSelect, matches } = props
  const { drawn, squeeze, timeWindow, critical, colors } = plot
  const canvas = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [box, width] = useElementWidth<HTMLDivElement>()
  const { view, measure } = useScrollView(scroller)
  const [hover, setHover] = useState<Point & { row: number }>()
  const paint = usePaint(colors, useTheme())
  const { codes } = colors
  const hovered = hover?.row
  const drawing = useMemo<FlameDrawing>(
    () => ({ trace, drawn, timeWindow, width, ...view, codes, paint, matches, critical, selected, hovered }),
    [trace, drawn, timeWindow, width, view, codes, paint, matches, critical, selected, hovered],
  )
  useEffect(() => {
    const frame = requestAnimationFrame(() => canvas.current && paintOn(canvas.current, drawing))
    return () => cancelAnimationFrame(frame)
  }, [drawing])
  useFlameWheel(scroller, plot, width)
  useRevealedRun(scroller, trace, selected)
  useFlameKeys(scroller, props)
  const pointer = useFlamePointer({ canvas, scroller, drawing, plot, onHover: setHover, onSelect })
  const zoomTo = (row: number) =>
    plot.setTimeWindow(windowAround(floatAt(drawn.start, row), shownEndAt(drawn, row), drawn.duration))

  return (
    <div ref={box} className="relative flex min-h-0 flex-1 flex-col">
      <div className="h-5 shrink-0 border-b border-border">
        <TimeAxis timeWindow={timeWindow} width={width} squeeze={squeeze} />
      </div>
      <MeasureLayer timeWindow={timeWindow} squeeze={squeeze} left={0} width={width}>
        <div
          ref={scroller}
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys navigate this chart
          tabIndex={0}
          data-pane="tree"
          aria-label="Flame chart"
          aria-describedby="flame-summary"
          className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
          onScroll={measure}
          {...pointer}
          onPointerLeave={() => setHover(undefined)}
          onDoubleClick={() => hover && zoomTo(hover.row)}
        >
          <canvas ref={canvas} aria-hidden className="sticky top-0 block" style={{ width, height: view.height }} />
          <div style={{ height: Math.max(trace.levels * LEVEL_HEIGHT + 8 - view.height, 0) }} />
        </div>
        {squeeze && (
          <div aria-hidden className="pointer-events-none absolute inset-0 overflow-hidden">
            <Breaks timeWindow={timeWindow} width={width} squeeze={squeeze} />
          </div>
        )}
      </MeasureLayer>
      <p id="flame-summary" className="sr-only">
        {summarize(trace)}
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

/** Scroll position and height of the chart, which the canvas draws by itself. */
function useScrollView(scroller: RefObject<HTMLElement | null>) {
  const [view, setView] = useState({ scrollTop: 0, height: 0 })
  const measure = useCallback(() => {
    const element = scroller.current
    if (element) setView({ scrollTop: element.scrollTop, height: element.clientHeight })
  }, [scroller])
  useEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, measure])
  return { view, measure }
}

/** Scrolls to a run that was selected elsewhere. */
function useRevealedRun(scroller: RefObject<HTMLElement | null>, trace: Trace, selected: number | undefined) {
  useEffect(() => {
    const element = scroller.current
    if (!element || selected === undefined) return
    const top = intAt(trace.level, selected) * LEVEL_HEIGHT
    if (top < element.scrollTop || top + LEVEL_HEIGHT > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - element.clientHeight / 2
    }
  }, [scroller, trace, selected])
}

/** Ctrl and the wheel zoom around the pointer; a horizontal wheel moves the time in view. */
function useFlameWheel(scroller: RefObject<HTMLElement | null>, plot: TracePlot, width: number) {
  const { timeWindow, setTimeWindow } = plot
  const { duration } = plot.drawn
  useWheel(scroller, (event) => {
    if (event.ctrlKey || event.metaKey) {
      const left = scroller.current?.getBoundingClientRect().left ?? 0
      const share = (event.clientX - left) / Math.max(width, 1)
      const moment = timeWindow.from + share * (timeWindow.to - timeWindow.from)
      setTimeWindow(zoomWindow(timeWindow, event.deltaY < 0 ? 1.25 : 0.8, duration, moment))
      return true
    }
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX
    if (Math.abs(across) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return false
    setTimeWindow(panWindow(timeWindow, across / Math.max(width, 1), duration))
    return true
  })
}

function useFlameKeys(
  scroller: RefObject<HTMLElement | null>,
  { trace, plot, selected, onSelect }: VisualizationProps,
) {
  const { drawn, timeWindow, setTimeWindow } = plot
  const move = (row: number | undefined) => {
    if (row === undefined || row === -1) return
    onSelect(row)
    const isOutside = floatAt(drawn.start, row) > timeWindow.to || shownEndAt(drawn, row) < timeWindow.from
    if (isOutside) setTimeWindow(centerWindow(timeWindow, drawn, row))
  }
  const zoomToSelected = () => {
    if (selected === undefined) return
    setTimeWindow(windowAround(floatAt(drawn.start, selected), shownEndAt(drawn, selected), drawn.duration))
  }
  useShortcuts(
    'Run / trace',
    [
      { keys: 'arrowdown', label: 'Longest child', run: () => move(findLongestChild(trace, selected ?? 0)) },
      { keys: 'arrowup', label: 'Parent', run: () => selected !== undefined && move(trace.parent[selected]) },
      { keys: 'arrowright', label: 'Next on this level', run: () => move(findBeside(trace, selected ?? 0, 1)) },
      { keys: 'arrowleft', label: 'Previous on this level', run: () => move(findBeside(trace, selected ?? 0, -1)) },
      { keys: 'enter', label: 'Zoom to the run', run: zoomToSelected },
    ],
    scroller,
  )
}

interface FlamePointerOptions {
  canvas: RefObject<HTMLCanvasElement | null>
  scroller: RefObject<HTMLElement | null>
  drawing: FlameDrawing
  plot: TracePlot
  onHover: (hover: (Point & { row: number }) | undefined) => void
  onSelect: (row: number) => void
}

/** Pointer handlers of the chart: a drag moves it, a click selects a run, a hover shows it. */
function useFlamePointer({ canvas, scroller, drawing, plot, onHover, onSelect }: FlamePointerOptions) {
  const press = useRef<Press>(undefined)
  const toPoint = (event: PointerEvent): Point => {
    const { left = 0, top = 0 } = canvas.current?.getBoundingClientRect() ?? {}
    return { x: event.clientX - left, y: event.clientY - top }
  }
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.shiftKey || event.target !== canvas.current) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const scrollTop = scroller.current?.scrollTop ?? 0
      press.current = { ...toPoint(event), timeWindow: plot.timeWindow, scrollTop, hasMoved: false }
    },
    onPointerMove(event: PointerEvent) {
      const point = toPoint(event)
      const start = press.current
      if (!start) {
        const row = findRunAt(drawing, point.x, point.y)
        return onHover(row === undefined ? undefined : { ...point, row })
      }
      if (!start.hasMoved && Math.hypot(point.x - start.x, point.y - start.y) < CLICK_PX) return
      start.hasMoved = true
      onHover(undefined)
      const share = (start.x - point.x) / Math.max(drawing.width, 1)
      plot.setTimeWindow(panWindow(start.timeWindow, share, plot.drawn.duration))
      if (scroller.current) scroller.current.scrollTop = start.scrollTop + start.y - point.y
    },
    onPointerUp(event: PointerEvent) {
      const start = press.current
      press.current = undefined
      if (!start || start.hasMoved) return
      const point = toPoint(event)
      const row = findRunAt(drawing, point.x, point.y)
      if (row !== undefined) onSelect(row)
    },
    onPointerCancel() {
      press.current = undefined
    },
  }
}

function paintOn(canvas: HTMLCanvasElement, drawing: FlameDrawing): void {
  const context = canvas.getContext('2d')
  if (!context || drawing.width === 0 || drawing.height === 0) return
  const ratio = devicePixelRatio
  const [width, height] = [Math.round(drawing.width * ratio), Math.round(drawing.height * ratio)]
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  drawFlame(context, drawing)
}

/** A wheel listener that can prevent scrolling, which the passive listener of React cannot. */
function useWheel(element: React.RefObject<HTMLElement | null>, onWheel: (event: WheelEvent) => boolean) {
  const latest = useRef(onWheel)
  useEffect(() => {
    latest.current = onWheel
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

function centerWindow(timeWindow: TimeWindow, trace: Trace, row: number): TimeWindow {
  const middle = (floatAt(trace.start, row) + shownEndAt(trace, row)) / 2
  return panWindow(timeWindow, toFraction(timeWindow, middle) - 0.5, trace.duration)
}

function summarize(trace: Trace): string {
  return `${pluralize(trace.size, 'run')} on ${pluralize(trace.levels, 'level')} in ${formatLatency(trace.duration / 1000)}. Arrow keys walk from run to run, Enter zooms. The tree view lists the same runs as text.`
}

function describe(trace: Trace, row: number): string {
  const duration = formatLatency((shownEndAt(trace, row) - floatAt(trace.start, row)) / 1000)
  return `${nameAt(trace, row)}, ${drawnTypeAt(trace, row)}, ${statusAt(trace, row)}, ${duration}, level ${intAt(trace.level, row) + 1}`
}

/** The longest child, or undefined without children. */
function findLongestChild(trace: Trace, row: number): number | undefined {
  let best: number | undefined
  for (let child = row + 1; child < intAt(trace.subtreeEnd, row); child = intAt(trace.subtreeEnd, child)) {
    if (best === undefined || length(trace, child) > length(trace, best)) best = child
  }
  return best
}

/** The next or previous run on the same level, also of another parent. */
function findBeside(trace: Trace, row: number, direction: 1 | -1): number | undefined {
  let best: number | undefined
  for (let other = 0; other < trace.size; other++) {
    if (other === row || trace.level[other] !== trace.level[row]) continue
    const distance = (floatAt(trace.start, other) - floatAt(trace.start, row)) * direction
    if (distance < 0) continue
    if (best === undefined || distance < (floatAt(trace.start, best) - floatAt(trace.start, row)) * direction)
      best = other
  }
  return best
}

function length(trace: Trace, row: number): number {
  return shownEndAt(trace, row) - floatAt(trace.start, row)
}
