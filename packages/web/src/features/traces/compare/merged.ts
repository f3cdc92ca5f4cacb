import { intAt } from '#lib/columns.ts'
import type { Trace } from '../model/trace.ts'

export const SAME = 0
/** In both, with a different status, error, model, token count or payload size. */
export const CHANGED = 1
/** In both, at a different position. */
export const MOVED = 2
/** Only in B. */
export const ADDED = 3
/** Only in A. */
export const REMOVED = 4

/**
 * Two trees as one, one row per pair or single run, in drawing order: the subtree of row `i` is the rows `i` to
 * `subtreeEnd[i] - 1`. Runs of B keep their order; a run that only A has follows the sibling that it follows in A.
 */
export interface Merged {
  size: number
  /** Row in A, or -1. */
  a: Int32Array
  /** Row in B, or -1. */
  b: Int32Array
  parent: Int32Array
  depth: Uint16Array
  subtreeEnd: Int32Array
  /** SAME, CHANGED, MOVED, ADDED or REMOVED. */
  kind: Uint8Array
  /** Rows of the subtree, including itself, that are not SAME. */
  differences: Int32Array
}

export interface ComparedTraces {
  a: Trace
  b: Trace
  /** Rows of the two compared runs. */
  rootA: number
  rootB: number
  merged: Merged
}

/** Number of rows of each kind. */
export function countKinds({ kind }: Merged): Record<'same' | 'changed' | 'moved' | 'added' | 'removed', number> {
  const counts = [0, 0, 0, 0, 0]
  for (const one of kind) counts[one]!++
  const [same, changed, moved, added, removed] = counts as [number, number, number, number, number]
  return { same, changed, moved, added, removed }
}

/**
 * Lists the visible rows of a merged tree from top to bottom.
 *
 * @param collapsed        rows whose subtree is closed
 * @param onlyDifferences  leaves out equal rows unless a descendant differs
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

/** The next row that differs, wrapping around; undefined when no row differs. */
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
