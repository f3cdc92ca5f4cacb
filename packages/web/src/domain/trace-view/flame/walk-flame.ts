import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import { shownEnd, type Trace } from '#lib/trace-model/trace.ts'

/** The longest child, or undefined without children: where the time went. */
export function longestChild(trace: Trace, row: number): number | undefined {
  let best: number | undefined
  for (let child = row + 1; child < intAt(trace.subtreeEnd, row); child = intAt(trace.subtreeEnd, child)) {
    if (best === undefined || length(trace, child) > length(trace, best)) best = child
  }
  return best
}

/** The run beside it on the same level, whoever its parent is. */
export function besideOf(trace: Trace, row: number, direction: 1 | -1): number | undefined {
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
  return shownEnd(trace, row) - floatAt(trace.start, row)
}
