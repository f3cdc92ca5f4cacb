import { floatAt, intAt } from './columns.ts'
/** The columns that say when the runs of a tree were at work. */
export interface Timed {
  start: Float64Array
  end: Float64Array
  subtreeEnd: Int32Array
}

/** Microseconds of each run during which none of its direct children was running; `NaN` while the run is. */
export function selfTimes(tree: Timed): Float64Array {
  return tree.start.map((start, row) => {
    const end = floatAt(tree.end, row)
    if (Number.isNaN(end)) return Number.NaN
    let self = 0
    for (const [from, to] of gapsBetweenChildren(tree, row, start, end)) self += to - from
    return self
  })
}

/**
 * The stretches of `[from, to]` in which a run worked by itself, in order.
 *
 * @param minimum  stretches shorter than this many microseconds are left out (say, less than a pixel)
 */
export function* gapsBetweenChildren(
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
