import type { Words } from './columns.ts'
import { floatAt, intAt } from './columns.ts'
import { ERROR, type Folds } from './trace.ts'

/** Fewer siblings than this stay as they are. */
export const FOLD_AT = 5

export interface Foldable {
  parent: Int32Array
  subtreeEnd: Int32Array
  names: Words
  types: Words
  start: Float64Array
  end: Float64Array
  status: Uint8Array
}

/** Finds the stretches of adjacent siblings that share name and type and are long enough to fold. */
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
