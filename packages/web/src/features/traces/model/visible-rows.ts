import { floatAt, intAt } from '#lib/columns.ts'
import { idAt, type Trace, wordAt } from './trace.ts'

/** The folded rows of a trace. */
export interface RowView {
  /** Runs whose subtree is closed. */
  collapsed: ReadonlySet<number>
  /** Numbers of the folds that are open. */
  openFolds: ReadonlySet<number>
  /** Whether similar siblings are folded. */
  folding: boolean
  /** Result of a filter. While there is one, all folds are open. */
  matches?: Matches | undefined
}

/**
 * Lists the visible rows from top to bottom: a run is its row, a fold is `~fold` (negative). A closed fold replaces its
 * runs; an open fold is a heading above them.
 */
export function listVisibleRows(trace: Trace, view: RowView): Int32Array {
  const rows = new Int32Array(trace.size + trace.folds.first.length)
  const folding = view.folding && !view.matches
  let count = 0
  for (let row = 0; row < trace.size; ) {
    const fold = folding ? intAt(trace.folds.byRow, row) : -1
    if (fold !== -1 && trace.folds.first[fold] === row) {
      rows[count++] = ~fold
      if (!view.openFolds.has(fold)) {
        row = intAt(trace.folds.end, fold)
        continue
      }
    }
    if (view.matches && view.matches.state[row] === HIDDEN) {
      row = intAt(trace.subtreeEnd, row) // descendants of a hidden run are hidden too
      continue
    }
    rows[count++] = row
    row = view.collapsed.has(row) ? intAt(trace.subtreeEnd, row) : row + 1
  }
  return rows.slice(0, count)
}

/** The folding state in which a run is visible. */
export function revealRow(trace: Trace, row: number, view: RowView): Pick<RowView, 'collapsed' | 'openFolds'> {
  const collapsed = new Set(view.collapsed)
  const openFolds = new Set(view.openFolds)
  for (let at = row; at !== -1; at = intAt(trace.parent, at)) {
    if (at !== row) collapsed.delete(at)
    const fold = intAt(trace.folds.byRow, at)
    if (fold !== -1) openFolds.add(fold)
  }
  return { collapsed, openFolds }
}

/** Runs of the subtree that have children, without the row itself. */
export function listParentsBelow(trace: Trace, row: number): number[] {
  const rows: number[] = []
  for (let at = row; at < intAt(trace.subtreeEnd, row); at++) if (intAt(trace.subtreeEnd, at) > at + 1) rows.push(at)
  return rows
}

type Direction = 1 | -1

/** The next or previous run that matches a filter, wrapping around. */
export function findNextMatch(
  state: Uint8Array,
  match: number,
  from: number,
  direction: Direction,
): number | undefined {
  return walkRound(state.length, from, direction, (row) => state[row] === match)
}

/**
 * Moves one step down or up the list, counting folds as steps. Stops at both ends.
 *
 * @param position  index in `rows` of the selection, or -1
 */
export function stepPosition(rows: Int32Array, position: number, by: number): number {
  return Math.min(Math.max(position + by, 0), rows.length - 1)
}

function walkRound(size: number, from: number, direction: Direction, accepts: (row: number) => boolean) {
  for (let offset = 1; offset <= size; offset++) {
    const row = (((from + direction * offset) % size) + size) % size
    if (accepts(row)) return row
  }
  return undefined
}

export interface RunFilter {
  /** Text to find in name, error, model, tags or id; case-insensitive. */
  text?: string | undefined
  /** Rows whose payload contains the text; they match too. */
  rowsWithText?: ReadonlySet<number> | undefined
  /** Run types to keep; empty keeps all. */
  types?: readonly string[] | undefined
  /** Hide finished runs shorter than this share of the trace, e.g. 0.01. */
  minimumShare?: number | undefined
}

export const HIDDEN = 0
/** Does not match, and stays because something below it does. */
export const CONTEXT = 1
export const MATCH = 2

export interface Matches {
  /** HIDDEN, CONTEXT or MATCH, per row. */
  state: Uint8Array
  matched: number
}

/** Which runs a filter keeps, with the ancestors that lead to them; undefined when it filters nothing. */
export function filterRuns(trace: Trace, filter: RunFilter): Matches | undefined {
  const tests = testsOf(trace, filter)
  if (tests.length === 0) return undefined
  const state = new Uint8Array(trace.size)
  let matched = 0
  for (let row = trace.size - 1; row >= 0; row--) {
    if (tests.every((test) => test(row))) {
      state[row] = MATCH
      matched++
    }
    const above = intAt(trace.parent, row)
    if (state[row] !== HIDDEN && above !== -1 && state[above] === HIDDEN) state[above] = CONTEXT
  }
  return { state, matched }
}

/** The type a run is drawn and filtered as. */
export function drawnTypeAt(trace: Trace, row: number): string {
  return wordAt(trace.drawn, row)
}

/** How many runs there are of each drawn type, the most frequent first. */
export function countTypes(trace: Trace): [string, number][] {
  const counts = new Uint32Array(trace.drawn.words.length)
  for (const code of trace.drawn.codes) counts[code] = intAt(counts, code) + 1
  return trace.drawn.words
    .map((word, code): [string, number] => [word, intAt(counts, code)])
    .sort((a, b) => b[1] - a[1])
}

function testsOf(trace: Trace, filter: RunFilter): ((row: number) => boolean)[] {
  const tests: ((row: number) => boolean)[] = []
  const text = filter.text?.trim().toLowerCase()
  if (text) {
    const isInTree = textTest(trace, text)
    tests.push((row) => isInTree(row) || filter.rowsWithText?.has(row) === true)
  }
  const { types } = filter
  if (types && types.length > 0) {
    const wanted = trace.drawn.words.map((word) => types.includes(word))
    tests.push((row) => wanted[intAt(trace.drawn.codes, row)] === true)
  }
  if (filter.minimumShare) {
    const shortest = filter.minimumShare * trace.duration
    tests.push((row) => !(floatAt(trace.end, row) - floatAt(trace.start, row) < shortest))
  }
  return tests
}

function textTest(trace: Trace, text: string): (row: number) => boolean {
  // Names and models repeat, so each distinct one is looked at once.
  const inNames = trace.names.words.map((word) => word.toLowerCase().includes(text))
  const inModels = trace.models.words.map((word) => word.toLowerCase().includes(text))
  const looksLikeId = /^[0-9a-f-]{6,36}$/.test(text)
  return (row) =>
    inNames[intAt(trace.names.codes, row)] ||
    inModels[intAt(trace.models.codes, row)] ||
    trace.errors.get(row)?.toLowerCase().includes(text) ||
    trace.tags.get(row)?.some((tag) => tag.toLowerCase().includes(text)) ||
    (looksLikeId && idAt(trace, row).startsWith(text))
}
