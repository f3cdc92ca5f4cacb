import { intAt } from '#lib/columns.ts'
import { type AlignItem, alignLists } from '#lib/diff/diff-turns.ts'
import { nameAt, type Trace, typeAt, wordAt } from '../model/trace.ts'
import { ADDED, CHANGED, type Merged, MOVED, REMOVED, SAME } from './merged.ts'

interface Entry {
  a: number
  b: number
  parent: number
  depth: number
}

/** Merges two traces. Every run of either side appears exactly once. */
export function mergeTraces(a: Side, b: Side): Merged {
  const { ofA, ofB, moved } = matchRuns(a, b)
  const rows: Entry[] = []

  /**
   * Children of a merged row: those of B in order; a child that only A has follows the sibling that it follows in A.
   */
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
      below(entry.a === -1 ? [] : listChildren(a.trace, entry.a), entry.b === -1 ? [] : listChildren(b.trace, entry.b)),
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
    const parent = rows[row]?.parent ?? -1
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

/** Whether a step differs. Its duration always differs and is ignored. */
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

/** One of the two trees: a trace and the root of the compared subtree. */
interface Side {
  trace: Trace
  /** Row 0 represents the whole trace, including orphans. */
  root: number
}

interface Matching {
  /** For each row of A its partner in B, or -1; and the reverse. */
  ofA: Int32Array
  ofB: Int32Array
  /** Rows of B whose partner has another position in A. */
  moved: ReadonlySet<number>
}

/**
 * Finds the runs of two traces that are the same step. The two roots are paired; below a pair, siblings are aligned by
 * name and type. Unpaired runs are paired with a run of the same name under the same parent, or with the only other
 * subtree of the same shape in the trace: those have moved.
 *
 * @see docs/decisions/0038-two-traces-aligned.md
 */
function matchRuns(a: Side, b: Side): Matching {
  const [alikeA, alikeB] = describeRuns(a.trace, b.trace)
  const ofA = new Int32Array(a.trace.size).fill(-1)
  const ofB = new Int32Array(b.trace.size).fill(-1)
  const moved = new Set<number>()
  const open: [number, number][] = []
  const pair = (rowA: number, rowB: number) => {
    ofA[rowA] = rowB
    ofB[rowB] = rowA
    open.push([rowA, rowB])
  }
  const alignChildren = (rowsA: readonly number[], rowsB: readonly number[]) => {
    const partner = alignLists(
      rowsA.map((row) => getItem(alikeA, row)),
      rowsB.map((row) => getItem(alikeB, row)),
    )
    for (const [index, rowA] of rowsA.entries()) {
      const rowB = rowsB[intAt(partner, index)]
      if (rowB !== undefined) pair(rowA, rowB)
    }
    const left = new Map<number, number[]>()
    for (const row of rowsB) {
      if (ofB[row] !== -1) continue
      const { key } = getItem(alikeB, row)
      left.set(key, [...(left.get(key) ?? []), row])
    }
    for (const row of rowsA) {
      const namesake = ofA[row] === -1 ? left.get(getItem(alikeA, row).key)?.shift() : undefined
      if (namesake === undefined) continue
      moved.add(namesake)
      pair(row, namesake)
    }
  }

  pair(a.root, b.root)
  if (a.root === 0 && b.root === 0) alignChildren(topsBeside(a.trace), topsBeside(b.trace))
  for (let next = open.pop(); next; next = open.pop()) {
    alignChildren(listChildren(a.trace, next[0]), listChildren(b.trace, next[1]))
  }
  matchMovedSubtrees(a, b, { alikeA, alikeB, ofA, ofB, moved })
  return { ofA, ofB, moved }
}

/** Children of a run, in order. */
function listChildren(trace: Trace, row: number): number[] {
  return siblings(trace, row + 1, intAt(trace.subtreeEnd, row))
}

/** Runs at the top level apart from the first. */
function topsBeside(trace: Trace): number[] {
  return siblings(trace, intAt(trace.subtreeEnd, 0), trace.size)
}

function siblings(trace: Trace, from: number, to: number): number[] {
  const rows: number[] = []
  for (let row = from; row < to; row = intAt(trace.subtreeEnd, row)) rows.push(row)
  return rows
}

function getItem(alike: readonly AlignItem[], row: number): AlignItem {
  const item = alike[row]
  if (!item) throw new Error(`There is no row ${row}.`)
  return item
}

/** Gives equal names and equal shapes the same number in both traces. */
function describeRuns(a: Trace, b: Trace): [AlignItem[], AlignItem[]] {
  const keys = new Map<string, number>()
  const shapes = new Map<string, number>()
  const numberOf = (known: Map<string, number>, text: string) => {
    const number = known.get(text) ?? known.size
    known.set(text, number)
    return number
  }
  const describe = (trace: Trace) => {
    const alike: AlignItem[] = new Array(trace.size)
    for (let row = trace.size - 1; row >= 0; row--) {
      const key = numberOf(keys, `${typeAt(trace, row)}\n${nameAt(trace, row)}`)
      const below = listChildren(trace, row).map((child) => getItem(alike, child).shape)
      alike[row] = { key, shape: numberOf(shapes, `${key}:${below.join()}`) }
    }
    return alike
  }
  return [describe(a), describe(b)]
}

interface Found {
  alikeA: readonly AlignItem[]
  alikeB: readonly AlignItem[]
  ofA: Int32Array
  ofB: Int32Array
  moved: Set<number>
}

/** Pairs subtrees of the same shape that are unpaired exactly once on each side, the largest first. */
function matchMovedSubtrees(a: Side, b: Side, { alikeA, alikeB, ofA, ofB, moved }: Found): void {
  const leftA = onlyOnes(leftOver(a, ofA), alikeA)
  const leftB = onlyOnes(leftOver(b, ofB), alikeB)
  for (const [shape, rowB] of leftB) {
    const rowA = leftA.get(shape)
    // The parts of a larger moved subtree were paired with it.
    if (rowA === undefined || ofA[rowA] !== -1 || ofB[rowB] !== -1) continue
    const size = intAt(a.trace.subtreeEnd, rowA) - rowA
    const isWhole = (of: Int32Array, row: number) => of.subarray(row, row + size).every((partner) => partner === -1)
    if (!isWhole(ofA, rowA) || !isWhole(ofB, rowB)) continue
    moved.add(rowB)
    for (let offset = 0; offset < size; offset++) {
      ofA[rowA + offset] = rowB + offset
      ofB[rowB + offset] = rowA + offset
    }
  }
}

function leftOver({ trace, root }: Side, of: Int32Array): number[] {
  const rows: number[] = []
  const end = root === 0 ? trace.size : intAt(trace.subtreeEnd, root)
  for (let row = root; row < end; row++) if (of[row] === -1) rows.push(row)
  return rows
}

/** The rows whose shape is unique in the list, by shape, parents before children. */
function onlyOnes(rows: readonly number[], alike: readonly AlignItem[]): Map<number, number> {
  const counts = new Map<number, number>()
  const shapes = rows.map((row): [shape: number, row: number] => [getItem(alike, row).shape, row])
  for (const [shape] of shapes) counts.set(shape, (counts.get(shape) ?? 0) + 1)
  return new Map(shapes.filter(([shape]) => counts.get(shape) === 1))
}
