import { floatAt, intAt } from '#lib/columns.ts'
/** The columns of a trace that the flame layout needs. */
export interface FlameTree {
  parent: Int32Array
  subtreeEnd: Int32Array
  start: Float64Array
  end: Float64Array
}

export interface FlameLayout {
  /** Level of each run, 0 at the top. A child is below its parent; runs at the same time have different levels. */
  level: Int32Array
  /** Number of levels. */
  levels: number
}

/**
 * Assigns levels to runs so that no two runs on one level overlap in time. Consecutive siblings share a lane;
 * concurrent siblings have separate lanes, each as high as its deepest subtree.
 */
export function layOutFlame(tree: FlameTree): FlameLayout {
  const size = tree.parent.length
  const extent = extents(tree)
  const height = new Int32Array(size)
  const below = new Int32Array(size)
  for (let row = size - 1; row >= 0; row--) {
    const children = listChildren(tree, row + 1, intAt(tree.subtreeEnd, row))
    height[row] = 1 + placeInLanes(children, extent, height, below)
  }
  const levels = placeInLanes(listChildren(tree, 0, size), extent, height, below)
  const level = new Int32Array(size)
  for (let row = 0; row < size; row++) {
    const above = intAt(tree.parent, row)
    level[row] = intAt(below, row) + (above === -1 ? 0 : intAt(level, above) + 1)
  }
  return { level, levels }
}

interface Extents {
  from: Float64Array
  to: Float64Array
}

/** Earliest start and latest end in each subtree; a child may outlive its parent. */
function extents({ parent, start, end }: FlameTree): Extents {
  const from = Float64Array.from(start)
  const to = end.map((at, row) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(at, floatAt(start, row))))
  for (let row = parent.length - 1; row >= 0; row--) {
    const above = intAt(parent, row)
    if (above === -1) continue
    from[above] = Math.min(floatAt(from, above), floatAt(from, row))
    to[above] = Math.max(floatAt(to, above), floatAt(to, row))
  }
  return { from, to }
}

function listChildren({ subtreeEnd }: FlameTree, from: number, to: number): number[] {
  const rows: number[] = []
  for (let row = from; row < to; row = intAt(subtreeEnd, row)) rows.push(row)
  return rows
}

/** Assigns siblings to lanes and writes their offset below the parent's level. @returns the number of levels used */
function placeInLanes(rows: number[], { from, to }: Extents, height: Int32Array, below: Int32Array): number {
  if (rows.length === 0) return 0
  const laneHeight: number[] = []
  const laneOf = new Int32Array(rows.length)
  const busy = new Heap<{ until: number; lane: number }>((a, b) => a.until - b.until)
  const free = new Heap<number>((a, b) => a - b)
  const order = rows.map((row, index) => ({ row, index, start: floatAt(from, row) }))
  if (order.some(({ start }, i) => start < (order[i - 1]?.start ?? start))) order.sort((a, b) => a.start - b.start)
  for (const { row, index, start } of order) {
    for (let next = busy.first; next !== undefined && next.until <= start; next = busy.first) {
      free.add(next.lane)
      busy.take()
    }
    const lane = free.take() ?? laneHeight.length
    laneOf[index] = lane
    laneHeight[lane] = Math.max(laneHeight[lane] ?? 0, intAt(height, row))
    busy.add({ until: floatAt(to, row), lane })
  }
  let levels = 0
  const offsets = laneHeight.map((one) => {
    levels += one
    return levels - one
  })
  rows.forEach((row, index) => {
    below[row] = offsets[intAt(laneOf, index)] ?? 0
  })
  return levels
}

/** A priority queue: a binary heap with the smallest item on top. */
class Heap<Item> {
  #items: Item[] = []
  constructor(readonly compare: (a: Item, b: Item) => number) {}

  get first(): Item | undefined {
    return this.#items[0]
  }

  add(item: Item): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]
      if (above === undefined || this.compare(above, item) <= 0) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  take(): Item | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let at = 0
    for (;;) {
      const [left, right] = [items[2 * at + 1], items[2 * at + 2]]
      const isRight = left !== undefined && right !== undefined && this.compare(right, left) < 0
      const smaller = isRight ? right : left
      if (smaller === undefined || this.compare(smaller, last) >= 0) break
      items[at] = smaller
      at = 2 * at + (isRight ? 2 : 1)
    }
    items[at] = last
    return first
  }
}
