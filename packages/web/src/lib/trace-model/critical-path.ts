import { floatAt, intAt } from './columns.ts'
import { shownEnd, type Trace } from './trace.ts'

/** A child may reach this far, of its own length, beyond the moment that waited for it: clocks are not that exact. */
const TOLERANCE = 0.1

/**
 * The runs that the end of the trace waited for: making any of them shorter makes the trace shorter. From the end of a
 * run backwards, the child that ended last was waited for, then the one that ended last before that one began.
 *
 * @returns rows, the root among them
 */
export function criticalPath(trace: Trace): ReadonlySet<number> {
  const path = new Set<number>()
  if (trace.size === 0) return path
  const open: { row: number; until: number }[] = [{ row: 0, until: shownEnd(trace, 0) }]
  for (let next = open.pop(); next; next = open.pop()) {
    path.add(next.row)
    let until = next.until
    for (const child of childrenLatestFirst(trace, next.row)) {
      const [start, end] = [floatAt(trace.start, child), shownEnd(trace, child)]
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
  return rows.sort((a, b) => shownEnd(trace, b) - shownEnd(trace, a))
}
