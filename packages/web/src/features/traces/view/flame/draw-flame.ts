import { floatAt, intAt } from '#lib/columns.ts'
import { formatLatency } from '#lib/format.ts'
import { type TimeWindow, toFraction } from '../../model/time-scale.ts'
import { ERROR, nameAt, shownEndAt, type Trace } from '../../model/trace.ts'
import { HIDDEN, MATCH, type Matches } from '../../model/visible-rows.ts'
import type { Paint } from '../use-paint.ts'

/** Pixels from one level to the next. */
export const LEVEL_HEIGHT = 19
const BAR_HEIGHT = 18
const NARROWEST = 2

export interface FlameDrawing {
  trace: Trace
  /** The trace with its times as drawn. */
  drawn: Trace
  timeWindow: TimeWindow
  /** CSS pixels. */
  width: number
  height: number
  scrollTop: number
  /** Color class of each run. */
  codes: Uint8Array
  paint: Paint
  matches: Matches | undefined
  /** Rows of the critical path, when it is shown. */
  critical: ReadonlySet<number> | undefined
  selected: number | undefined
  hovered: number | undefined
}

/** Draws the levels and the time in view. Runs narrower than a pixel are drawn once per pixel. */
export function drawFlame(context: CanvasRenderingContext2D, drawing: FlameDrawing): void {
  const { trace, height, width, scrollTop, paint } = drawing
  context.clearRect(0, 0, width, height)
  context.font = paint.font
  context.textBaseline = 'middle'
  const first = Math.floor(scrollTop / LEVEL_HEIGHT)
  const last = Math.ceil((scrollTop + height) / LEVEL_HEIGHT)
  // Right edge drawn on each level, so that thousands of tiny runs in one pixel cost one rectangle.
  const drawnTo = new Float64Array(last - first + 1).fill(-1)
  for (let row = 0; row < trace.size; row++) {
    const level = intAt(trace.level, row)
    if (level < first || level > last) continue
    const bar = layOutBar(drawing, row)
    if (!bar) continue
    const isTiny = bar.right - bar.left <= NARROWEST
    if (isTiny && bar.right <= floatAt(drawnTo, level - first) && trace.status[row] !== ERROR) continue
    drawnTo[level - first] = Math.max(floatAt(drawnTo, level - first), Math.ceil(bar.right))
    drawBar(context, drawing, row, bar)
  }
  for (const row of [drawing.hovered, drawing.selected]) {
    const bar = row === undefined ? undefined : layOutBar(drawing, row)
    if (!bar) continue
    context.globalAlpha = 1
    context.lineWidth = row === drawing.selected ? 2 : 1
    context.strokeStyle = row === drawing.selected ? paint.accent : paint.text
    const inset = context.lineWidth / 2
    context.strokeRect(
      bar.left + inset,
      bar.top + inset,
      Math.max(bar.right - bar.left - 2 * inset, 1),
      BAR_HEIGHT - 2 * inset,
    )
  }
}

/** The run at a point of the drawing, or within three pixels of it. */
export function findRunAt(drawing: FlameDrawing, x: number, y: number): number | undefined {
  const { trace, scrollTop } = drawing
  const level = Math.floor((y + scrollTop) / LEVEL_HEIGHT)
  let best: number | undefined
  let nearest = 3
  for (let row = 0; row < trace.size; row++) {
    if (trace.level[row] !== level) continue
    const bar = layOutBar(drawing, row)
    if (!bar) continue
    const distance = Math.max(bar.left - x, x - bar.right, 0)
    if (distance > nearest) continue
    nearest = distance
    best = row
  }
  return best
}

interface Bar {
  left: number
  right: number
  top: number
}

function layOutBar({ drawn, timeWindow, width, scrollTop, matches }: FlameDrawing, row: number): Bar | undefined {
  const [start, end] = [floatAt(drawn.start, row), shownEndAt(drawn, row)]
  if (end < timeWindow.from || start > timeWindow.to || matches?.state[row] === HIDDEN) return undefined
  const left = Math.max(toFraction(timeWindow, start) * width, 0)
  const right = Math.min(toFraction(timeWindow, end) * width, width)
  return { left, right: Math.max(right, left + NARROWEST), top: intAt(drawn.level, row) * LEVEL_HEIGHT - scrollTop }
}

function drawBar(context: CanvasRenderingContext2D, drawing: FlameDrawing, row: number, bar: Bar): void {
  const { trace, codes, paint, matches, critical } = drawing
  const color = (trace.status[row] === ERROR ? undefined : paint.classes[intAt(codes, row)]) ?? paint.error
  const width = bar.right - bar.left
  const isContext = matches !== undefined && matches.state[row] !== MATCH
  context.globalAlpha = isContext ? 0.3 : 1
  if (width <= 4) {
    context.fillStyle = color.solid
    context.fillRect(bar.left, bar.top, width, BAR_HEIGHT)
    return
  }
  context.fillStyle = color.tint
  context.fillRect(bar.left, bar.top, width - 1, BAR_HEIGHT)
  context.fillStyle = color.solid
  context.fillRect(bar.left, bar.top, 2, BAR_HEIGHT)
  if (critical?.has(row)) context.fillRect(bar.left, bar.top + BAR_HEIGHT - 3, width - 1, 3)
  if (Number.isNaN(floatAt(trace.end, row))) {
    context.setLineDash([3, 3])
    context.strokeStyle = color.solid
    context.strokeRect(bar.left + 0.5, bar.top + 0.5, width - 2, BAR_HEIGHT - 1)
    context.setLineDash([])
  }
  if (width < 28) return
  // Only the visible part of a bar that starts before the window is labeled.
  const middle = bar.top + BAR_HEIGHT / 2
  const name = clipText(context, nameAt(trace, row), width - 9)
  context.fillStyle = paint.text
  context.fillText(name, bar.left + 5, middle)
  const used = context.measureText(name).width + 12
  const duration = formatLatency((floatAt(trace.end, row) - floatAt(trace.start, row)) / 1000)
  if (width - used < context.measureText(duration).width + 6) return
  context.fillStyle = paint.muted
  context.fillText(duration, bar.left + used, middle)
}

/** As much of a text as fits, with an ellipsis. */
function clipText(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width
  if (whole <= width) return text
  const kept = Math.floor((text.length * width) / whole) - 1
  return kept < 1 ? '' : `${text.slice(0, kept)}…`
}
