import { NO_PARENT } from '@touchstone/contract/trace-columns'
import { floatAt, intAt } from '#lib/columns.ts'
import { ERROR, type Folds, IN_RING, ORPHAN, type Words } from './trace.ts'

export interface DrawingOrder {
  /** For each row, the index of its run in the input. */
  source: Int32Array
  parent: Int32Array
  depth: Uint16Array
  subtreeEnd: Int32Array
  flags: Uint8Array
}

/**
 * Sorts runs into drawing order: depth first, siblings by start. A run whose parent is missing is at the top level as
 * an orphan; a ring of parents is cut at its earliest run. Every run appears exactly once.
 *
 * @param parentOf  index of the parent; `NO_PARENT`; smaller numbers for a parent that is missing
 * @param start  microseconds per run; equal values keep the given order
 */
export function orderRuns(parentOf: Int32Array, start: Float64Array): DrawingOrder {
  const byStart = sortByStart(start)
  const children = childLists(parentOf, byStart)
  const order = emptyOrder(parentOf.length)
  const rowOf = new Int32Array(parentOf.length).fill(-1)
  let rows = 0

  const place = (top: number, flags: number) => {
    const stack = [top]
    for (let run = stack.pop(); run !== undefined; run = stack.pop()) {
      if (rowOf[run] !== -1) continue // back at the start of a cut ring
      const row = rows++
      const parent = run === top ? -1 : intAt(rowOf, intAt(parentOf, run))
      rowOf[run] = row
      order.source[row] = run
      order.parent[row] = parent
      order.depth[row] = parent === -1 ? 0 : Math.min(intAt(order.depth, parent) + 1, 65_535)
      order.flags[row] = run === top ? flags : 0
      for (let child = intAt(children.end, run) - 1; child >= intAt(children.first, run); child--)
        stack.push(intAt(children.list, child))
    }
  }

  for (const run of byStart) if (parentOf[run] === NO_PARENT) place(run, 0)
  for (const run of byStart) if (intAt(parentOf, run) < NO_PARENT) place(run, ORPHAN)
  for (const run of byStart) if (rowOf[run] === -1) place(run, IN_RING)
  closeSubtrees(order)
  return order
}

function sortByStart(start: Float64Array): Int32Array {
  const at = (run: number) => (Number.isNaN(start[run]) ? Number.POSITIVE_INFINITY : floatAt(start, run))
  return Int32Array.from(start, (_, i) => i).sort((a, b) => {
    const [x, y] = [at(a), at(b)]
    return x < y ? -1 : x > y ? 1 : a - b
  })
}

/** Children of every run in one array: those of `run` are `list[first[run]]` to `list[end[run] - 1]`. */
function childLists(parentOf: Int32Array, byStart: Int32Array) {
  const first = new Int32Array(parentOf.length)
  const list = new Int32Array(parentOf.length)
  for (const parent of parentOf) if (parent >= 0) first[parent] = intAt(first, parent) + 1
  let sum = 0
  for (let run = 0; run < first.length; run++) {
    const count = intAt(first, run)
    first[run] = sum
    sum += count
  }
  const end = first.slice()
  for (const run of byStart) {
    const parent = intAt(parentOf, run)
    if (parent >= 0) list[end[parent]!++] = run
  }
  return { first, end, list }
}

function emptyOrder(size: number): DrawingOrder {
  return {
    source: new Int32Array(size),
    parent: new Int32Array(size),
    depth: new Uint16Array(size),
    subtreeEnd: new Int32Array(size),
    flags: new Uint8Array(size),
  }
}

function closeSubtrees({ parent, subtreeEnd }: DrawingOrder) {
  for (let row = parent.length - 1; row >= 0; row--) {
    subtreeEnd[row] = Math.max(intAt(subtreeEnd, row), row + 1)
    const above = intAt(parent, row)
    if (above !== -1) subtreeEnd[above] = Math.max(intAt(subtreeEnd, above), intAt(subtreeEnd, row))
  }
}

/** Fewer siblings than this are not folded. */
const FOLD_AT = 5

interface Foldable {
  parent: Int32Array
  subtreeEnd: Int32Array
  names: Words
  types: Words
  start: Float64Array
  end: Float64Array
  status: Uint8Array
}

/** Finds groups of adjacent siblings that share name and type and are long enough to fold. */
export function foldSiblings(tree: Foldable): Folds {
  const stretches = findStretches(tree)
  const size = stretches.length
  const folds: Folds = {
    byRow: new Int32Array(tree.parent.length).fill(-1),
    first: new Int32Array(size),
    count: new Int32Array(size),
    end: new Int32Array(size),
    sum: new Float64Array(size),
    max: new Float64Array(size),
    lastEnd: new Float64Array(size),
    errors: new Int32Array(size),
  }
  stretches.forEach(({ first, count, end }, fold) => {
    folds.first[fold] = first
    folds.count[fold] = count
    folds.end[fold] = end
    for (let row = first; row < end; row = intAt(tree.subtreeEnd, row)) {
      const duration = floatAt(tree.end, row) - floatAt(tree.start, row)
      folds.byRow[row] = fold
      folds.lastEnd[fold] = Math.max(floatAt(folds.lastEnd, fold), tree.end[row] || floatAt(tree.start, row))
      if (tree.status[row] === ERROR) folds.errors[fold] = intAt(folds.errors, fold) + 1
      if (Number.isNaN(duration)) continue
      folds.sum[fold] = floatAt(folds.sum, fold) + duration
      folds.max[fold] = Math.max(floatAt(folds.max, fold), duration)
    }
  })
  return folds
}

interface Stretch {
  first: number
  count: number
  end: number
}

function findStretches({ parent, subtreeEnd, names, types }: Foldable): Stretch[] {
  const found: Stretch[] = []
  const isAlike = (a: number, b: number) =>
    parent[a] === parent[b] && names.codes[a] === names.codes[b] && types.codes[a] === types.codes[b]
  const seen = new Uint8Array(parent.length)
  for (let row = 0; row < parent.length; row++) {
    if (seen[row]) continue
    let count = 1
    let end = intAt(subtreeEnd, row)
    while (end < parent.length && isAlike(row, end)) {
      seen[end] = 1
      count++
      end = intAt(subtreeEnd, end)
    }
    if (count >= FOLD_AT) found.push({ first: row, count, end })
  }
  return found
}
