import { drawnRunType } from '../run-types.ts'
import { idAt, nameAt, type Trace, typeAt } from './trace.ts'

export interface RunFilter {
  /** Words to find in name, error, model, tags or id; case does not matter. */
  text?: string | undefined
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
    const above = trace.parent[row]!
    if (state[row] !== HIDDEN && above !== -1 && state[above] === HIDDEN) state[above] = CONTEXT
  }
  return { state, matched }
}

/** The type a run is drawn and filtered as. */
export function drawnTypeAt(trace: Trace, row: number): string {
  return drawnRunType({ run_type: typeAt(trace, row), name: nameAt(trace, row) })
}

/** How many runs there are of each drawn type. */
export function countTypes(trace: Trace): Map<string, number> {
  const counts = new Map<string, number>()
  for (let row = 0; row < trace.size; row++) {
    const type = drawnTypeAt(trace, row)
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return counts
}

function testsOf(trace: Trace, filter: RunFilter): ((row: number) => boolean)[] {
  const tests: ((row: number) => boolean)[] = []
  const text = filter.text?.trim().toLowerCase()
  if (text) tests.push(textTest(trace, text))
  if (filter.types && filter.types.length > 0) {
    const wanted = new Set(filter.types)
    tests.push((row) => wanted.has(drawnTypeAt(trace, row)))
  }
  if (filter.minimumShare) {
    const shortest = filter.minimumShare * trace.duration
    tests.push((row) => !(trace.end[row]! - trace.start[row]! < shortest))
  }
  return tests
}

function textTest(trace: Trace, text: string): (row: number) => boolean {
  // Names and models repeat, so each distinct one is looked at once.
  const inNames = trace.names.words.map((word) => word.toLowerCase().includes(text))
  const inModels = trace.models.words.map((word) => word.toLowerCase().includes(text))
  const looksLikeId = /^[0-9a-f-]{6,36}$/.test(text)
  return (row) =>
    inNames[trace.names.codes[row]!]! ||
    inModels[trace.models.codes[row]!]! ||
    trace.errors.get(row)?.toLowerCase().includes(text) ||
    trace.tags.get(row)?.some((tag) => tag.toLowerCase().includes(text)) ||
    (looksLikeId && idAt(trace, row).startsWith(text))
}
