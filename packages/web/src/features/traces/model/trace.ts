import { packWords, type WordColumn } from '@touchstone/contract/trace-columns'
import { floatAt, intAt } from '#lib/columns.ts'

export { packWords }

export const SUCCESS = 0
export const ERROR = 1
export const PENDING = 2
export const INTERRUPTED = 3
export const STATUSES = ['success', 'error', 'pending', 'interrupted'] as const

/** The parent of the run is not in the trace; the run is shown at the top level. */
export const ORPHAN = 1
/** The run starts before its parent or ends before it starts: the clocks of two machines differ. */
export const SKEWED = 2
/** The run was its own ancestor; the ring was cut here. */
export const IN_RING = 4

/**
 * A trace as columns, one row per run, in drawing order: parents before children, siblings by start. The subtree of
 * row `i` is the rows `i` to `subtreeEnd[i] - 1`.
 *
 * Times are microseconds since `startMicros`, exact as numbers for traces up to 285 years long. `NaN` means "unknown".
 */
export interface Trace {
  traceId: string
  projectId: string
  /** Changes with every change of a run. */
  version: string
  /** Number of runs on the server; `size` of them are loaded. */
  total: number
  size: number
  /** Microseconds since 1970 of the earliest start. */
  startMicros: bigint
  /** Microseconds from the earliest start to the latest known time, or to the present while the trace is running. */
  duration: number
  /** The latest time that any run reports. */
  lastKnown: number
  /** Running runs that started before this time are considered lost. */
  lostBefore: number

  ids: Strings
  names: Words
  types: Words
  /** The type for drawing and filtering: a chain that is marked as an agent has the type `agent`. */
  drawn: Words
  models: Words
  /** The message of the error in one line, for runs that have one. */
  errors: Map<number, string>
  tags: Map<number, readonly string[]>
  status: Uint8Array
  flags: Uint8Array

  parent: Int32Array
  depth: Uint16Array
  /** Level in a flame chart: children are below their parent, concurrent runs have separate levels. */
  level: Int32Array
  /** Number of levels of the flame chart. */
  levels: number
  subtreeEnd: Int32Array
  /** Number of direct children. */
  children: Int32Array
  /** Position among its siblings, from 1. */
  position: Int32Array
  /** Runs at the top level. */
  tops: number

  start: Float64Array
  end: Float64Array
  firstToken: Float64Array
  /** Microseconds without a running child; `NaN` while the run is running. */
  selfTime: Float64Array

  promptTokens: Float64Array
  completionTokens: Float64Array
  /** Of the run and its descendants. */
  subtreePromptTokens: Float64Array
  subtreeCompletionTokens: Float64Array
  /** Picodollars of the run and its descendants, where known. */
  subtreeCost: BigInt64Array
  /** Runs of the subtree that used tokens without a known price; above zero the cost is a lower bound. */
  subtreeUnpriced: Int32Array
  /** Calls of the subtree whose cost is without their fees, such as those of searches; likewise. */
  subtreeFees: Int32Array
  /** The part of `subtreeCost` that the client reported, because no price is known. */
  subtreeReported: BigInt64Array
  subtreeErrors: Int32Array
  payloadBytes: Float64Array

  folds: Folds
  orphans: number
  skewed: number
  pending: number
}

/** Groups of five or more adjacent siblings of one name and type. */
export interface Folds {
  /** Fold of each run, or -1. */
  byRow: Int32Array
  first: Int32Array
  count: Int32Array
  /** Row after the last subtree of the group. */
  end: Int32Array
  /** Microseconds. */
  sum: Float64Array
  max: Float64Array
  /** Latest known end. */
  lastEnd: Float64Array
  errors: Int32Array
}

export function idAt(trace: Trace, row: number): string {
  return stringAt(trace.ids, row)
}

export function nameAt(trace: Trace, row: number): string {
  return wordAt(trace.names, row)
}

/** The status of a run. */
export function statusAt({ status }: Trace, row: number): (typeof STATUSES)[number] {
  return STATUSES[intAt(status, row)] ?? 'pending'
}

export function typeAt(trace: Trace, row: number): string {
  return wordAt(trace.types, row)
}

/** Finds the row of a run; undefined when it is not in the trace. */
export function findRow(trace: Trace, id: string | undefined): number | undefined {
  const row = id === undefined ? -1 : findString(trace.ids, id)
  return row === -1 ? undefined : row
}

/** End of a run; the latest time of the trace while it is running, the latest known time for a lost run. */
export function shownEndAt(trace: Trace, row: number): number {
  const end = floatAt(trace.end, row)
  if (!Number.isNaN(end)) return Math.max(end, floatAt(trace.start, row))
  return Math.max(isLost(trace, row) ? trace.lastKnown : trace.duration, floatAt(trace.start, row))
}

/** Whether a run has been running for so long that its end has probably been lost. */
export function isLost(trace: Trace, row: number): boolean {
  return (
    trace.status[row] === PENDING &&
    Number.isNaN(floatAt(trace.end, row)) &&
    floatAt(trace.start, row) < trace.lostBefore
  )
}

/** Microseconds; `NaN` while the run is running. */
export function durationAt(trace: Trace, row: number): number {
  return floatAt(trace.end, row) - floatAt(trace.start, row)
}

/** Ancestors, the nearest first. */
export function listAncestors(trace: Trace, row: number): number[] {
  const rows: number[] = []
  for (let at = intAt(trace.parent, row); at !== -1; at = intAt(trace.parent, at)) rows.push(at)
  return rows
}

/** Converts picodollars to the decimal string that the format functions take. */
export function formatPicodollars(picodollars: bigint): string {
  const sign = picodollars < 0n ? '-' : ''
  const digits = (picodollars < 0n ? -picodollars : picodollars).toString().padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -12)}${fraction ? `.${fraction}` : ''}`
}

/** A run without an end for this long is considered lost. */
export const NO_END_MICROS = 10 * 60_000_000

/** The trace at a given time: running runs end at that time, and overdue runs are marked as lost. */
export function toTraceAt(trace: Trace, nowMs: number): Trace {
  if (trace.pending === 0) return trace
  const elapsed = Number(BigInt(Math.round(nowMs)) * 1_000n - trace.startMicros)
  const lostBefore = elapsed - NO_END_MICROS
  // After the same time without an update the whole trace is considered ended.
  const isGrowing = elapsed > trace.lastKnown && trace.lastKnown >= lostBefore
  return { ...trace, lostBefore, duration: isGrowing ? elapsed : trace.lastKnown }
}

/** Many strings in one, so that a worker posts one string instead of 50,000. */
interface Strings {
  text: string
  /** End of each string in `text`. */
  ends: Uint32Array
}

/** A column of few distinct words. */
export type Words = WordColumn

export function packStrings(values: readonly string[]): Strings {
  const ends = new Uint32Array(values.length)
  let end = 0
  for (const [i, value] of values.entries()) {
    end += value.length
    ends[i] = end
  }
  return { text: values.join(''), ends }
}

export function stringAt(strings: Strings, index: number): string {
  return strings.text.slice(index === 0 ? 0 : strings.ends[index - 1], strings.ends[index])
}

/** Index of the first string equal to `value`, or -1. */
export function findString(strings: Strings, value: string): number {
  if (value === '') return -1
  for (let at = strings.text.indexOf(value); at !== -1; at = strings.text.indexOf(value, at + 1)) {
    const index = firstEndAfter(strings.ends, at)
    const start = index === 0 ? 0 : intAt(strings.ends, index - 1)
    if (start === at && strings.ends[index] === at + value.length) return index
  }
  return -1
}

export function wordAt(words: Words, index: number): string {
  return words.words[intAt(words.codes, index)] ?? ''
}

function firstEndAfter(ends: Uint32Array, at: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (intAt(ends, middle) > at) high = middle
    else low = middle + 1
  }
  return low
}
