import { intAt } from '#lib/trace-model/columns.ts'
import { wordAt } from '../trace-model/columns.ts'
import type { Trace } from '../trace-model/trace.ts'
import { childrenOf, matchRuns, type Side, topsBeside } from './match-runs.ts'
import { ADDED, CHANGED, type Merged, MOVED, REMOVED, SAME } from './merged.ts'

interface Entry {
  a: number
  b: number
  parent: number
  depth: number
}

/** Lays two traces over each other. Every run of either side appears exactly once. */
export function mergeTraces(a: Side, b: Side): Merged {
  const { ofA, ofB, moved } = matchRuns(a, b)
  const rows: Entry[] = []

  /** Children of a merged row: those of B in order, and what only A has behind the sibling that it followed. */
  const below = (childrenA: readonly number[], childrenB: readonly number[]): Pick<Entry, 'a' | 'b'>[] => {
    const here = new Set(childrenB)
    const behind = new Map<number, number[]>()
    let anchor = -1
    for (const row of childrenA) {
      const partner = intAt(ofA, row)
      if (partner === -1) behind.set(anchor, [...(behind.get(anchor) ?? []), row])
      else if (here.has(partner) && !moved.has(partner)) anchor = partner
    }
    const onlyA = (at: number) => (behind.get(at) ?? []).map((row) => ({ a: row, b: -1 }))
    return [...onlyA(-1), ...childrenB.flatMap((row) => [{ a: intAt(ofB, row), b: row }, ...onlyA(row)])]
  }
  const open: Entry[] = []
  const push = (entries: readonly Pick<Entry, 'a' | 'b'>[], parent: number, depth: number) => {
    for (const entry of entries.toReversed()) open.push({ ...entry, parent, depth })
  }

  const isWhole = a.root === 0 && b.root === 0
  if (isWhole) push(below(topsBeside(a.trace), topsBeside(b.trace)), -1, 0)
  push([{ a: a.root, b: b.root }], -1, 0)
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const at = rows.push(entry) - 1
    push(
      below(entry.a === -1 ? [] : childrenOf(a.trace, entry.a), entry.b === -1 ? [] : childrenOf(b.trace, entry.b)),
      at,
      entry.depth + 1,
    )
  }
  return asColumns(rows, ({ a: rowA, b: rowB }) =>
    rowA === -1
      ? ADDED
      : rowB === -1
        ? REMOVED
        : moved.has(rowB)
          ? MOVED
          : isChanged(a.trace, rowA, b.trace, rowB)
            ? CHANGED
            : SAME,
  )
}

function asColumns(rows: readonly Entry[], kindOf: (entry: Entry) => number): Merged {
  const size = rows.length
  const kind = Uint8Array.from(rows, kindOf)
  const subtreeEnd = Int32Array.from(rows, (_, row) => row + 1)
  const differences = Int32Array.from(kind, (one) => (one === SAME ? 0 : 1))
  for (let row = size - 1; row >= 0; row--) {
    const { parent } = rows[row]!
    if (parent === -1) continue
    subtreeEnd[parent] = Math.max(intAt(subtreeEnd, parent), intAt(subtreeEnd, row))
    differences[parent] = intAt(differences, parent) + intAt(differences, row)
  }
  return {
    size,
    a: Int32Array.from(rows, (entry) => entry.a),
    b: Int32Array.from(rows, (entry) => entry.b),
    parent: Int32Array.from(rows, (entry) => entry.parent),
    depth: Uint16Array.from(rows, (entry) => entry.depth),
    subtreeEnd,
    kind,
    differences,
  }
}

/** Whether one step went differently; how long it took always differs and does not count. */
function isChanged(a: Trace, rowA: number, b: Trace, rowB: number): boolean {
  return (
    a.status[rowA] !== b.status[rowB] ||
    a.errors.get(rowA) !== b.errors.get(rowB) ||
    wordAt(a.models, rowA) !== wordAt(b.models, rowB) ||
    a.promptTokens[rowA] !== b.promptTokens[rowB] ||
    a.completionTokens[rowA] !== b.completionTokens[rowB] ||
    a.payloadBytes[rowA] !== b.payloadBytes[rowB]
  )
}
