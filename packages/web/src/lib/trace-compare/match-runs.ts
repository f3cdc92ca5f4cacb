import { intAt } from '#lib/trace-model/columns.ts'
import { nameAt, type Trace, typeAt } from '../trace-model/trace.ts'
import { type Alike, alignLists } from './align-lists.ts'

/** One of the two trees: a trace, and the run from which on it is compared. */
export interface Side {
  trace: Trace
  /** A row; row 0 stands for everything in the trace, orphans too. */
  root: number
}

export interface Matching {
  /** For each row of A its partner in B, or -1; and the other way round. */
  ofA: Int32Array
  ofB: Int32Array
  /** Rows of B whose partner stood elsewhere in A. */
  moved: ReadonlySet<number>
}

/**
 * Finds out which runs of two traces are the same step. The two roots are; below a pair, siblings are aligned by name
 * and type. What is left over is paired with its namesake under the same parent, or with the only other subtree of
 * exactly its shape anywhere: those have moved.
 *
 * @see docs/decisions/0038-two-traces-aligned.md
 */
export function matchRuns(a: Side, b: Side): Matching {
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
      rowsA.map((row) => alikeA[row]!),
      rowsB.map((row) => alikeB[row]!),
    )
    partner.forEach((at, index) => {
      if (at !== -1) pair(rowsA[index]!, rowsB[at]!)
    })
    const left = new Map<number, number[]>()
    for (const row of rowsB) {
      if (ofB[row] !== -1) continue
      const { key } = alikeB[row]!
      left.set(key, [...(left.get(key) ?? []), row])
    }
    for (const row of rowsA) {
      const namesake = ofA[row] === -1 ? left.get(alikeA[row]!.key)?.shift() : undefined
      if (namesake === undefined) continue
      moved.add(namesake)
      pair(row, namesake)
    }
  }

  pair(a.root, b.root)
  if (a.root === 0 && b.root === 0) alignChildren(topsBeside(a.trace), topsBeside(b.trace))
  for (let next = open.pop(); next; next = open.pop()) {
    alignChildren(childrenOf(a.trace, next[0]), childrenOf(b.trace, next[1]))
  }
  matchMovedSubtrees(a, b, { alikeA, alikeB, ofA, ofB, moved })
  return { ofA, ofB, moved }
}

/** Children of a run, in order. */
export function childrenOf(trace: Trace, row: number): number[] {
  return siblings(trace, row + 1, intAt(trace.subtreeEnd, row))
}

/** Runs at the top level besides the first. */
export function topsBeside(trace: Trace): number[] {
  return siblings(trace, intAt(trace.subtreeEnd, 0), trace.size)
}

function siblings(trace: Trace, from: number, to: number): number[] {
  const rows: number[] = []
  for (let row = from; row < to; row = intAt(trace.subtreeEnd, row)) rows.push(row)
  return rows
}

/** Numbers names and shapes alike in both traces. */
function describeRuns(a: Trace, b: Trace): [Alike[], Alike[]] {
  const keys = new Map<string, number>()
  const shapes = new Map<string, number>()
  const numberOf = (known: Map<string, number>, text: string) => {
    const number = known.get(text) ?? known.size
    known.set(text, number)
    return number
  }
  const describe = (trace: Trace) => {
    const alike: Alike[] = new Array(trace.size)
    for (let row = trace.size - 1; row >= 0; row--) {
      const key = numberOf(keys, `${typeAt(trace, row)}\n${nameAt(trace, row)}`)
      const below = childrenOf(trace, row).map((child) => alike[child]!.shape)
      alike[row] = { key, shape: numberOf(shapes, `${key}:${below.join()}`) }
    }
    return alike
  }
  return [describe(a), describe(b)]
}

interface Found {
  alikeA: readonly Alike[]
  alikeB: readonly Alike[]
  ofA: Int32Array
  ofB: Int32Array
  moved: Set<number>
}

/** Pairs subtrees of one shape that are left over exactly once on either side, the largest first. */
function matchMovedSubtrees(a: Side, b: Side, { alikeA, alikeB, ofA, ofB, moved }: Found): void {
  const leftA = onlyOnes(leftOver(a, ofA), alikeA)
  const leftB = onlyOnes(leftOver(b, ofB), alikeB)
  for (const [shape, rowB] of leftB) {
    const rowA = leftA.get(shape)
    // Inside a larger subtree that has moved, its parts have been paired with it.
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

/** The rows whose shape no other row of the list has, by shape, parents before children. */
function onlyOnes(rows: readonly number[], alike: readonly Alike[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(alike[row]!.shape, (counts.get(alike[row]!.shape) ?? 0) + 1)
  return new Map(
    rows.filter((row) => counts.get(alike[row]!.shape) === 1).map((row): [number, number] => [alike[row]!.shape, row]),
  )
}
