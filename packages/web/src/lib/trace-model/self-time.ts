import { floatAt, intAt } from './columns.ts'
import { shownEndAt, type Trace } from './trace.ts'

/** The columns that say when the runs of a tree were at work. */
export interface Timed {
  start: Float64Array
  end: Float64Array
  subtreeEnd: Int32Array
}

/** Microseconds of each run during which none of its direct children was running; `NaN` while the run is. */
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
 * The stretches of `[from, to]` in which a run worked by itself, in order.
 *
 * @param minimum  stretches shorter than this many microseconds are left out (say, less than a pixel)
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

/** A child may reach this far, of its own length, beyond the moment that waited for it: clocks are not that exact. */
const TOLERANCE = 0.1

/**
 * The runs that the end of the trace waited for: making any of them shorter makes the trace shorter. From the end of a
 * run backwards, the child that ended last was waited for, then the one that ended last before that one began.
 *
 * @returns rows, the root among them
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
