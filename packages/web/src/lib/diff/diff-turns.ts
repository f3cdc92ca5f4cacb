import { intAt } from '#lib/columns.ts'
import { diffText, type TextLine } from './diff-text.ts'

/** One message as text: its role and all of its content. */
export interface Turn {
  role: string
  text: string
}

export interface TurnPair {
  kind: 'same' | 'changed' | 'added' | 'removed'
  role: string
  lines: TextLine[]
}

/** Compares two conversations message by message. Equal messages are paired first, then messages of the same role. */
export function diffTurns(a: readonly Turn[], b: readonly Turn[]): TurnPair[] {
  const numbers = new Map<string, number>()
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  const describe = ({ role, text }: Turn): AlignItem => ({ key: numberOf(role), shape: numberOf(`${role}\n${text}`) })
  const partner = alignLists(a.map(describe), b.map(describe))
  const pairs: TurnPair[] = []
  let next = 0
  const addUpTo = (end: number) => {
    for (const turn of b.slice(next, end)) pairs.push(toUnpaired(turn, 'added'))
  }
  for (const [index, turn] of a.entries()) {
    const at = intAt(partner, index)
    const other = b[at]
    if (other === undefined) {
      pairs.push(toUnpaired(turn, 'removed'))
      continue
    }
    addUpTo(at)
    next = at + 1
    const isSame = turn.text === other.text
    pairs.push({ kind: isSame ? 'same' : 'changed', role: turn.role, lines: diffText(turn.text, other.text) })
  }
  addUpTo(b.length)
  return pairs
}

function toUnpaired({ role, text }: Turn, kind: 'added' | 'removed'): TurnPair {
  return { kind, role, lines: text.split('\n').map((line) => ({ kind, pieces: [{ text: line, marked: false }] })) }
}

/** An item of a list to align. */
export interface AlignItem {
  /** Only items with the same key can be paired. */
  key: number
  /** The same for items that are equal including all descendants. */
  shape: number
}

/** With more cells, a table of all pairs would take too long; such lists are aligned by the k-th item of each key. */
const MOST_CELLS = 30_000_000

/**
 * Pairs the items of two lists so that the pairs have the same order in both lists, with as many pairs and as many
 * equal shapes as possible (a longest common subsequence in which equal shapes weigh more).
 *
 * @returns for each item of `a` its partner in `b`, or -1
 */
export function alignLists(a: readonly AlignItem[], b: readonly AlignItem[]): Int32Array {
  const partner = new Int32Array(a.length).fill(-1)
  let head = 0
  const isSameShape = (atA: number, atB: number) => a[atA]?.shape === b[atB]?.shape
  while (head < a.length && head < b.length && isSameShape(head, head)) {
    partner[head] = head
    head++
  }
  let [endA, endB] = [a.length, b.length]
  while (endA > head && endB > head && isSameShape(endA - 1, endB - 1)) partner[--endA] = --endB
  const [restA, restB] = [a.slice(head, endA), b.slice(head, endB)]
  const align = restA.length * restB.length <= MOST_CELLS ? alignByTable : alignByOccurrence
  align(restA, restB).forEach((at, index) => {
    if (at !== -1) partner[head + index] = head + at
  })
  return partner
}

/** The best alignment, computed with a table of all pairs. */
function alignByTable(a: readonly AlignItem[], b: readonly AlignItem[]): Int32Array {
  const partner = new Int32Array(a.length).fill(-1)
  if (a.length === 0 || b.length === 0) return partner
  const width = b.length
  const keys = Int32Array.from(b, ({ key }) => key)
  const shapes = Int32Array.from(b, ({ shape }) => shape)
  // From the last pair to the first, so that the forward pass takes the earliest of equally good pairs.
  const steps = new Uint8Array(a.length * width)
  let below = new Int32Array(width + 1)
  let current = new Int32Array(width + 1)
  for (let i = a.length - 1; i >= 0; i--) {
    const { key, shape } = a[i]!
    const offset = i * width
    let right = 0
    for (let j = width - 1; j >= 0; j--) {
      let best = intAt(below, j)
      let step = SKIP_A
      if (right > best) {
        best = right
        step = SKIP_B
      }
      if (keys[j] === key) {
        const paired = intAt(below, j + 1) + (shapes[j] === shape ? 3 : 2)
        if (paired >= best) {
          best = paired
          step = PAIR
        }
      }
      current[j] = best
      steps[offset + j] = step
      right = best
    }
    ;[below, current] = [current, below]
  }
  for (let i = 0, j = 0; i < a.length && j < width; ) {
    const step = steps[i * width + j]
    if (step === PAIR) partner[i++] = j++
    else if (step === SKIP_A) i++
    else j++
  }
  return partner
}

const PAIR = 0
const SKIP_A = 1
const SKIP_B = 2

/**
 * Pairs the k-th item of a key with the k-th item of the same key, and keeps the longest series of pairs that is in
 * order.
 */
function alignByOccurrence(a: readonly AlignItem[], b: readonly AlignItem[]): Int32Array {
  const places = new Map<number, number[]>()
  b.forEach(({ key }, index) => {
    const known = places.get(key)
    if (known) known.push(index)
    else places.set(key, [index])
  })
  const used = new Map<number, number>()
  const pairs = a.map(({ key }) => {
    const nth = used.get(key) ?? 0
    used.set(key, nth + 1)
    return places.get(key)?.[nth] ?? -1
  })
  const kept = findLongestIncreasing(pairs)
  return Int32Array.from(pairs, (at, index) => (kept.has(index) ? at : -1))
}

/** Indices of a longest increasing subsequence; -1 is skipped. */
function findLongestIncreasing(values: readonly number[]): Set<number> {
  /** The smallest last value of a subsequence of each length, and its index. */
  const tails: { value: number; index: number }[] = []
  const before = new Int32Array(values.length).fill(-1)
  values.forEach((value, index) => {
    if (value === -1) return
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((tails[middle]?.value ?? value) < value) low = middle + 1
      else high = middle
    }
    before[index] = tails[low - 1]?.index ?? -1
    tails[low] = { value, index }
  })
  const kept = new Set<number>()
  for (let at = tails.at(-1)?.index ?? -1; at !== -1; at = intAt(before, at)) kept.add(at)
  return kept
}
