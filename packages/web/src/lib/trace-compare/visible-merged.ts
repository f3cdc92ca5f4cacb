import { intAt } from '#lib/trace-model/columns.ts'
import { type Merged, SAME } from './merged.ts'

/**
 * The rows of a merged tree that are listed, from top to bottom.
 *
 * @param collapsed        rows whose subtree is closed
 * @param onlyDifferences  leaves out what is the same, except on the way to a difference
 */
export function visibleMerged(merged: Merged, collapsed: ReadonlySet<number>, onlyDifferences: boolean): Int32Array {
  const rows = new Int32Array(merged.size)
  let count = 0
  for (let row = 0; row < merged.size; ) {
    if (onlyDifferences && merged.differences[row] === 0) {
      row = intAt(merged.subtreeEnd, row)
      continue
    }
    rows[count++] = row
    row = collapsed.has(row) ? intAt(merged.subtreeEnd, row) : row + 1
  }
  return rows.slice(0, count)
}

/** The next row that differs, going round; undefined when none does. */
export function nextDifference({ kind, size }: Merged, from: number, direction: 1 | -1): number | undefined {
  for (let offset = 1; offset <= size; offset++) {
    const row = (((from + direction * offset) % size) + size) % size
    if (kind[row] !== SAME) return row
  }
  return undefined
}

/** Rows above a row, nearest first. */
export function mergedAncestors({ parent }: Merged, row: number): number[] {
  const rows: number[] = []
  for (let at = intAt(parent, row); at !== -1; at = intAt(parent, at)) rows.push(at)
  return rows
}
