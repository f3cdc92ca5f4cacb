import { floatAt, intAt, wordAt } from './columns.ts'
import { idAt, type Trace } from './trace.ts'

export interface RunFilter {
  /** Words to find in name, error, model, tags or id; case does not matter. */
  text?: string | undefined
  /** Rows that hold the text in their payloads; they match the text too. */
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
  if (filter.types && filter.types.length > 0) {
    const wanted = trace.drawn.words.map((word) => filter.types!.includes(word))
    tests.push((row) => wanted[intAt(trace.drawn.codes, row)]!)
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
    inNames[intAt(trace.names.codes, row)]! ||
    inModels[intAt(trace.models.codes, row)]! ||
    trace.errors.get(row)?.toLowerCase().includes(text) ||
    trace.tags.get(row)?.some((tag) => tag.toLowerCase().includes(text)) ||
    (looksLikeId && idAt(trace, row).startsWith(text))
}
