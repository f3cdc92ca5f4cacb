import { floatAt } from '#lib/columns.ts'
import { shownEndAt, type Trace } from './trace.ts'
/** The visible range of the trace, in microseconds since its start. */
export interface TimeWindow {
  from: number
  to: number
}

/** The shortest range: the clock counts microseconds. */
const SHORTEST_WINDOW = 10

/** The whole trace, with some space on the right so that the end of the last bar is visible. */
export function fitWindow(duration: number): TimeWindow {
  return { from: 0, to: Math.max(duration * 1.01, SHORTEST_WINDOW) }
}

/** Keeps a window inside the trace without changing its length, unless it is longer than the trace. */
export function clampWindow(timeWindow: TimeWindow, duration: number): TimeWindow {
  const whole = fitWindow(duration)
  const length = Math.min(Math.max(timeWindow.to - timeWindow.from, SHORTEST_WINDOW), whole.to)
  const from = Math.min(Math.max(timeWindow.from, 0), whole.to - length)
  return { from, to: from + length }
}

/**
 * Zooms around a point that keeps its position on the screen.
 *
 * @param factor  above 1 shows less time
 * @param at      microseconds @default the middle of the window
 */
export function zoomWindow(timeWindow: TimeWindow, factor: number, duration: number, at?: number): TimeWindow {
  const pivot = at ?? (timeWindow.from + timeWindow.to) / 2
  const whole = fitWindow(duration).to
  const length = Math.min(Math.max((timeWindow.to - timeWindow.from) / factor, SHORTEST_WINDOW), whole)
  const share = (pivot - timeWindow.from) / (timeWindow.to - timeWindow.from)
  return clampWindow({ from: pivot - share * length, to: pivot + (1 - share) * length }, duration)
}

/** Moves the window by a fraction of its length; positive values move to later times. */
export function panWindow(timeWindow: TimeWindow, share: number, duration: number): TimeWindow {
  const by = share * (timeWindow.to - timeWindow.from)
  return clampWindow({ from: timeWindow.from + by, to: timeWindow.to + by }, duration)
}

/** A window around a run, with a tenth of its length on each side. */
export function windowAround(start: number, end: number, duration: number): TimeWindow {
  const margin = Math.max((end - start) / 10, SHORTEST_WINDOW / 2)
  return clampWindow({ from: start - margin, to: end + margin }, duration)
}

/** Position of a time in the window: 0 is its left edge, 1 its right edge. */
export function toFraction(timeWindow: TimeWindow, micros: number): number {
  return (micros - timeWindow.from) / (timeWindow.to - timeWindow.from)
}

/** About `count` round times to label. */
export function listTicks(timeWindow: TimeWindow, count: number): number[] {
  const step = roundStep((timeWindow.to - timeWindow.from) / Math.max(count, 1))
  const first = Math.ceil(timeWindow.from / step)
  const last = Math.floor(timeWindow.to / step)
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step)
}

/** `12.5-480` in milliseconds, for the URL; undefined for the whole trace. */
export function printWindow(timeWindow: TimeWindow, duration: number): string | undefined {
  const whole = fitWindow(duration)
  if (timeWindow.from <= 0 && timeWindow.to >= whole.to - 1) return undefined
  return `${+(timeWindow.from / 1000).toFixed(3)}-${+(timeWindow.to / 1000).toFixed(3)}`
}

export function parseWindow(text: string | undefined, duration: number): TimeWindow {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (!match || Number(match[2]) <= Number(match[1])) return fitWindow(duration)
  return clampWindow({ from: Number(match[1]) * 1000, to: Number(match[2]) * 1000 }, duration)
}

const SECOND = 1e6
const STEPS_ABOVE_A_SECOND = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400]

function roundStep(atLeast: number): number {
  if (atLeast > 0.5 * SECOND && atLeast <= 86400 * SECOND) {
    return STEPS_ABOVE_A_SECOND.find((seconds) => seconds * SECOND >= atLeast)! * SECOND
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeast, 1)))
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= atLeast)!
}

/** A range in which no run worked, in microseconds since the start, and its position after squeezing. */
interface Gap {
  from: number
  to: number
  /** Squeezed time of its start. Its squeezed length is `SQUEEZED_SHARE` of the squeezed trace. */
  squeezedAt: number
  width: number
}

/** The time of a trace with narrow idle ranges. */
export interface Squeeze {
  gaps: readonly Gap[]
  /** Squeezed length of the whole trace. */
  duration: number
}

/** Shorter idle ranges, as a share of the trace, are not squeezed. */
const SHORTEST_SHARE = 0.02
/** Squeezing is offered when idle ranges take this share of the trace in total. */
const WORTH_SHARE = 0.6
/** Squeezed length of each gap, as a share of the time that is not idle. */
const LEFT_SHARE = 0.02

/**
 * The squeezed idle ranges of a trace; undefined when they take 60 % of it or less. Idle is the time in which no run
 * without children was running: a parent that only waits does no work.
 */
export function squeezeGaps(trace: Trace): Squeeze | undefined {
  const idle = idleStretches(trace)
  const idleTime = idle.reduce((sum, { from, to }) => sum + to - from, 0)
  if (idleTime <= WORTH_SHARE * trace.duration) return undefined
  const width = Math.max((trace.duration - idleTime) * LEFT_SHARE, 1)
  let removed = 0
  const gaps = idle.map(({ from, to }) => {
    const squeezedAt = from - removed
    removed += to - from - width
    return { from, to, squeezedAt, width }
  })
  return { gaps, duration: trace.duration - removed }
}

/** Converts a time to its squeezed position. */
export function toSqueezed({ gaps }: Squeeze, micros: number): number {
  if (Number.isNaN(micros)) return micros
  const gap = lastAt(gaps, (one) => one.from, micros)
  if (!gap) return micros
  if (micros < gap.to) return gap.squeezedAt + ((micros - gap.from) / (gap.to - gap.from)) * gap.width
  return gap.squeezedAt + gap.width + (micros - gap.to)
}

/** Converts a squeezed position to its time. */
export function fromSqueezed({ gaps }: Squeeze, at: number): number {
  const gap = lastAt(gaps, (one) => one.squeezedAt, at)
  if (!gap) return at
  if (at < gap.squeezedAt + gap.width) return gap.from + ((at - gap.squeezedAt) / gap.width) * (gap.to - gap.from)
  return gap.to + (at - gap.squeezedAt - gap.width)
}

/** The trace with all times squeezed. Its durations are for drawing only. */
export function squeezeTrace(trace: Trace, squeeze: Squeeze): Trace {
  const move = (column: Float64Array) => column.map((micros) => toSqueezed(squeeze, micros))
  return {
    ...trace,
    start: move(trace.start),
    end: move(trace.end),
    firstToken: move(trace.firstToken),
    duration: toSqueezed(squeeze, trace.duration),
    lastKnown: toSqueezed(squeeze, trace.lastKnown),
    lostBefore: toSqueezed(squeeze, trace.lostBefore),
  }
}

function idleStretches(trace: Trace): { from: number; to: number }[] {
  const leaves: number[] = []
  for (let row = 0; row < trace.size; row++) if (trace.children[row] === 0) leaves.push(row)
  leaves.sort((a, b) => floatAt(trace.start, a) - floatAt(trace.start, b))
  const idle: { from: number; to: number }[] = []
  const least = trace.duration * SHORTEST_SHARE
  let busyUntil = 0
  for (const row of leaves) {
    const start = floatAt(trace.start, row)
    if (start - busyUntil >= least && least > 0) idle.push({ from: busyUntil, to: start })
    busyUntil = Math.max(busyUntil, shownEndAt(trace, row))
  }
  if (trace.duration - busyUntil >= least && least > 0) idle.push({ from: busyUntil, to: trace.duration })
  return idle
}

/** The last gap that starts at or before a time. */
function lastAt(gaps: readonly Gap[], beginOf: (gap: Gap) => number, moment: number): Gap | undefined {
  let low = 0
  let high = gaps.length
  while (low < high) {
    const middle = (low + high) >> 1
    const gap = gaps[middle]
    if (gap && beginOf(gap) <= moment) low = middle + 1
    else high = middle
  }
  return gaps[low - 1]
}
