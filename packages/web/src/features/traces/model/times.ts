import { floatAt, intAt } from '#lib/columns.ts'
import { shownEndAt, type Trace } from './trace.ts'

/** A time of a trace as ISO 8601 in UTC, to the millisecond. */
export function timeAt(startMicros: bigint, offset: number): string {
  return new Date(Number((startMicros + BigInt(Math.round(offset))) / 1000n)).toISOString()
}

/** The columns with the start and end times of the runs of a tree. */
interface Timed {
  start: Float64Array
  end: Float64Array
  subtreeEnd: Int32Array
}

/** Microseconds of each run without a running direct child; `NaN` while the run is running. */
export function computeSelfTimes(tree: Timed): Float64Array {
  return tree.start.map((start, row) => {
    const end = floatAt(tree.end, row)
    if (Number.isNaN(end)) return Number.NaN
    let self = 0
    for (const [from, to] of listGapsBetweenChildren(tree, row, start, end)) self += to - from
    return self
  })
}

/**
 * The ranges of `[from, to]` in which a run worked without a running child, in order.
 *
 * @param minimum  ranges shorter than this many microseconds are left out (for example, less than a pixel)
 */
export function* listGapsBetweenChildren(
  tree: Timed,
  row: number,
  from: number,
  to: number,
  minimum = 0,
): Generator<[number, number]> {
  let free = from
  for (let child = row + 1; child < intAt(tree.subtreeEnd, row) && free < to; child = intAt(tree.subtreeEnd, child)) {
    const start = floatAt(tree.start, child)
    const end = Number.isNaN(floatAt(tree.end, child)) ? to : floatAt(tree.end, child)
    if (start > free && start - free > minimum) yield [free, Math.min(start, to)]
    free = Math.max(free, end)
  }
  if (to > free && to - free > minimum) yield [free, to]
}

/**
 * Tolerance for a child that ends after its parent continued, as a share of the child's length: clocks are not exact.
 */
const TOLERANCE = 0.1

/**
 * The critical path: shortening any of these runs shortens the trace. From the end of a run backwards, it contains the
 * child that ended last, then the child that ended last before that one started.
 *
 * @returns rows, including the root
 */
export function findCriticalPath(trace: Trace): ReadonlySet<number> {
  const path = new Set<number>()
  if (trace.size === 0) return path
  const open: { row: number; until: number }[] = [{ row: 0, until: shownEndAt(trace, 0) }]
  for (let next = open.pop(); next; next = open.pop()) {
    path.add(next.row)
    let until = next.until
    for (const child of childrenLatestFirst(trace, next.row)) {
      const [start, end] = [floatAt(trace.start, child), shownEndAt(trace, child)]
      if (start >= until || end - until > TOLERANCE * (end - start)) continue
      open.push({ row: child, until: Math.min(end, until) })
      until = start
    }
  }
  return path
}

function childrenLatestFirst(trace: Trace, row: number): number[] {
  const rows: number[] = []
  for (let child = row + 1; child < intAt(trace.subtreeEnd, row); child = intAt(trace.subtreeEnd, child))
    rows.push(child)
  return rows.sort((a, b) => shownEndAt(trace, b) - shownEndAt(trace, a))
}
