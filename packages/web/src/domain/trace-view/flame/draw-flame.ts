import { formatLatency } from '#lib/format/format.ts'
import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import { HIDDEN, MATCH, type Matches } from '#lib/trace-model/filter-runs.ts'
import { fractionOf, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import { ERROR, nameAt, shownEnd, type Trace } from '#lib/trace-model/trace.ts'
import type { Paint } from '../use-paint.ts'

/** Pixels from one level to the next. */
export const LEVEL_HEIGHT = 19
const BAR_HEIGHT = 18
const NARROWEST = 2

export interface FlamePicture {
  trace: Trace
  /** The trace as it stands in time on the screen. */
  drawn: Trace
  window: TimeWindow
  /** CSS pixels. */
  width: number
  height: number
  scrollTop: number
  /** Colour class of each run. */
  codes: Uint8Array
  paint: Paint
  matches: Matches | undefined
  /** Rows of the critical path, when it is shown. */
  critical: ReadonlySet<number> | undefined
  selected: number | undefined
  hovered: number | undefined
}

/** Draws the levels and the stretch of time in view; what is narrower than a pixel is drawn once per pixel. */
export function drawFlame(context: CanvasRenderingContext2D, picture: FlamePicture): void {
  const { trace, height, width, scrollTop, paint } = picture
  context.clearRect(0, 0, width, height)
  context.font = paint.font
  context.textBaseline = 'middle'
  const first = Math.floor(scrollTop / LEVEL_HEIGHT)
  const last = Math.ceil((scrollTop + height) / LEVEL_HEIGHT)
  // The right edge of what each level has drawn: thousands of tiny runs in one pixel cost one rectangle.
  const drawnTo = new Float64Array(last - first + 1).fill(-1)
  for (let row = 0; row < trace.size; row++) {
    const level = intAt(trace.level, row)
    if (level < first || level > last) continue
    const place = placeOf(picture, row)
    if (!place) continue
    const isTiny = place.right - place.left <= NARROWEST
    if (isTiny && place.right <= floatAt(drawnTo, level - first) && trace.status[row] !== ERROR) continue
    drawnTo[level - first] = Math.max(floatAt(drawnTo, level - first), Math.ceil(place.right))
    drawBar(context, picture, row, place)
  }
  for (const row of [picture.hovered, picture.selected]) {
    const place = row === undefined ? undefined : placeOf(picture, row)
    if (!place) continue
    context.globalAlpha = 1
    context.lineWidth = row === picture.selected ? 2 : 1
    context.strokeStyle = row === picture.selected ? paint.accent : paint.text
    const inset = context.lineWidth / 2
    context.strokeRect(
      place.left + inset,
      place.top + inset,
      Math.max(place.right - place.left - 2 * inset, 1),
      BAR_HEIGHT - 2 * inset,
    )
  }
}

/** The run at a point of the picture; a run too narrow to hit is found from three pixels away. */
export function runAt(picture: FlamePicture, x: number, y: number): number | undefined {
  const { trace, scrollTop } = picture
  const level = Math.floor((y + scrollTop) / LEVEL_HEIGHT)
  let best: number | undefined
  let nearest = 3
  for (let row = 0; row < trace.size; row++) {
    if (trace.level[row] !== level) continue
    const place = placeOf(picture, row)
    if (!place) continue
    const distance = Math.max(place.left - x, x - place.right, 0)
    if (distance > nearest) continue
    nearest = distance
    best = row
  }
  return best
}

interface Place {
  left: number
  right: number
  top: number
}

function placeOf({ drawn, window, width, scrollTop, matches }: FlamePicture, row: number): Place | undefined {
  const [start, end] = [floatAt(drawn.start, row), shownEnd(drawn, row)]
  if (end < window.from || start > window.to || matches?.state[row] === HIDDEN) return undefined
  const left = Math.max(fractionOf(window, start) * width, 0)
  const right = Math.min(fractionOf(window, end) * width, width)
  return { left, right: Math.max(right, left + NARROWEST), top: intAt(drawn.level, row) * LEVEL_HEIGHT - scrollTop }
}

function drawBar(context: CanvasRenderingContext2D, picture: FlamePicture, row: number, place: Place): void {
  const { trace, codes, paint, matches, critical } = picture
  const colour = trace.status[row] === ERROR ? paint.error : paint.classes[intAt(codes, row)]!
  const width = place.right - place.left
  const isContext = matches !== undefined && matches.state[row] !== MATCH
  context.globalAlpha = isContext ? 0.3 : 1
  if (width <= 4) {
    context.fillStyle = colour.solid
    context.fillRect(place.left, place.top, width, BAR_HEIGHT)
    return
  }
  context.fillStyle = colour.tint
  context.fillRect(place.left, place.top, width - 1, BAR_HEIGHT)
  context.fillStyle = colour.solid
  context.fillRect(place.left, place.top, 2, BAR_HEIGHT)
  if (critical?.has(row)) context.fillRect(place.left, place.top + BAR_HEIGHT - 3, width - 1, 3)
  if (Number.isNaN(floatAt(trace.end, row))) {
    context.setLineDash([3, 3])
    context.strokeStyle = colour.solid
    context.strokeRect(place.left + 0.5, place.top + 0.5, width - 2, BAR_HEIGHT - 1)
    context.setLineDash([])
  }
  if (width < 28) return
  // Of a bar that begins before the window only the part in view is labelled.
  const middle = place.top + BAR_HEIGHT / 2
  const name = clipped(context, nameAt(trace, row), width - 9)
  context.fillStyle = paint.text
  context.fillText(name, place.left + 5, middle)
  const used = context.measureText(name).width + 12
  const duration = formatLatency((floatAt(trace.end, row) - floatAt(trace.start, row)) / 1000)
  if (width - used < context.measureText(duration).width + 6) return
  context.fillStyle = paint.muted
  context.fillText(duration, place.left + used, middle)
}

/** As much of a text as fits, with an ellipsis where something is left out. */
function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width
  if (whole <= width) return text
  const kept = Math.floor((text.length * width) / whole) - 1
  return kept < 1 ? '' : `${text.slice(0, kept)}…`
}
