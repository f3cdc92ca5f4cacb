import { floatAt } from './columns.ts'
import { shownEndAt, type Trace } from './trace.ts'

/** A stretch in which nothing worked, in microseconds since the start, and where it is drawn once it is squeezed. */
export interface Gap {
  from: number
  to: number
  /** Squeezed time of its beginning; it is `SQUEEZED_SHARE` of the squeezed trace wide. */
  squeezedAt: number
  width: number
}

/** A trace's time with the idle stretches made narrow. */
export interface Squeeze {
  gaps: readonly Gap[]
  /** Squeezed length of the whole trace. */
  duration: number
}

/** Shorter idle stretches are left as they are: this share of the trace. */
const SHORTEST_SHARE = 0.02
/** Idle stretches are worth an offer when they take this share of the trace together. */
const WORTH_SHARE = 0.6
/** What is left of each gap, as a share of the time that is not idle. */
const LEFT_SHARE = 0.02

/**
 * The idle stretches of a trace, squeezed; undefined when they take 60 % of it or less. Idle is what no run without
 * children was working in: a parent that only waits is not work.
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

/** Where a moment is drawn. */
export function toSqueezed({ gaps }: Squeeze, micros: number): number {
  if (Number.isNaN(micros)) return micros
  const gap = lastAt(gaps, (one) => one.from, micros)
  if (!gap) return micros
  if (micros < gap.to) return gap.squeezedAt + ((micros - gap.from) / (gap.to - gap.from)) * gap.width
  return gap.squeezedAt + gap.width + (micros - gap.to)
}

/** The moment that is drawn at a place. */
export function fromSqueezed({ gaps }: Squeeze, at: number): number {
  const gap = lastAt(gaps, (one) => one.squeezedAt, at)
  if (!gap) return at
  if (at < gap.squeezedAt + gap.width) return gap.from + ((at - gap.squeezedAt) / gap.width) * (gap.to - gap.from)
  return gap.to + (at - gap.squeezedAt - gap.width)
}

/** The trace as it is drawn while its gaps are squeezed: every time moved, so no duration in it is true. */
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

/** The last gap that begins at or before a moment. */
function lastAt(gaps: readonly Gap[], beginOf: (gap: Gap) => number, moment: number): Gap | undefined {
  let low = 0
  let high = gaps.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (beginOf(gaps[middle]!) <= moment) low = middle + 1
    else high = middle
  }
  return gaps[low - 1]
}
