import { floatAt, intAt } from '#lib/columns.ts'
import { ERROR, shownEndAt, type Trace } from './trace.ts'

/** The errors of a trace, traced back to the runs that they began in. */
export interface Failures {
  /** Number of failed runs. */
  count: number
  /** Whether the trace itself failed, or only runs in it. */
  hasRootFailed: boolean
  /** Rows of the errors that no other error explains: that of the root first, then by start. At least one. */
  causes: readonly number[]
  /** The cause of each failed run; a cause is its own. */
  causeOf: ReadonlyMap<number, number>
}

/**
 * Finds the runs in which errors began. A failed run inherits the error of a failed run below it when its message repeats
 * or wraps that one's, when it has no message, or when it ended with that run.
 *
 * @returns undefined when no run failed
 */
export function findFailures(trace: Trace): Failures | undefined {
  const below = groupByFailedAncestor(trace)
  const causeOf = new Map<number, number>()
  const causes: number[] = []
  // Runs come after their parents, so walking backwards knows the cause of every run below.
  for (let row = trace.size - 1; row >= 0; row--) {
    if (trace.status[row] !== ERROR) continue
    const source = findSource(trace, row, below.get(row) ?? [])
    causeOf.set(row, source === undefined ? row : (causeOf.get(source) ?? source))
    if (source === undefined) causes.push(row)
  }
  if (causes.length === 0) return undefined
  const ofRoot = causeOf.get(0)
  causes.sort((one, other) => {
    if (one === ofRoot || other === ofRoot) return one === ofRoot ? -1 : 1
    return floatAt(trace.start, one) - floatAt(trace.start, other) || one - other
  })
  return { count: causeOf.size, hasRootFailed: ofRoot !== undefined, causes, causeOf }
}

/** The failed runs below each failed run, without those below another failed run in between. */
function groupByFailedAncestor(trace: Trace): Map<number, number[]> {
  const nearest = new Int32Array(trace.size).fill(-1)
  const groups = new Map<number, number[]>()
  for (let row = 0; row < trace.size; row++) {
    const parent = intAt(trace.parent, row)
    if (parent === -1) continue
    const ancestor = trace.status[parent] === ERROR ? parent : intAt(nearest, parent)
    nearest[row] = ancestor
    if (trace.status[row] !== ERROR || ancestor === -1) continue
    const group = groups.get(ancestor)
    if (group === undefined) groups.set(ancestor, [row])
    else group.push(row)
  }
  return groups
}

/** The failed run below from which a failed run has its error: the earliest one. */
function findSource(trace: Trace, row: number, failedBelow: readonly number[]): number | undefined {
  const own = trace.errors.get(row) ?? ''
  const repeated = failedBelow.filter((one) => repeatsError(own, trace.errors.get(one) ?? ''))
  if (repeated.length > 0) return findEarliest(trace, repeated)
  const last = findLastChild(trace, row)
  return last !== undefined && trace.status[last] === ERROR ? last : undefined
}

function findEarliest(trace: Trace, rows: readonly number[]): number | undefined {
  return rows.reduce<number | undefined>(
    (best, row) => (best === undefined || floatAt(trace.start, row) < floatAt(trace.start, best) ? row : best),
    undefined,
  )
}

/** The child that ended last: when it failed and nothing ran after it, its error ended the parent too. */
function findLastChild(trace: Trace, row: number): number | undefined {
  let last: number | undefined
  let lastEnd = Number.NEGATIVE_INFINITY
  for (let child = row + 1; child < intAt(trace.subtreeEnd, row); child = intAt(trace.subtreeEnd, child)) {
    const end = shownEndAt(trace, child)
    if (end > lastEnd || (end === lastEnd && trace.status[child] === ERROR)) {
      last = child
      lastEnd = end
    }
  }
  return last
}

/** Shorter messages are compared with their type. */
const SHORTEST_MESSAGE = 4
/** Longer messages may be cut in one of the two errors. */
const COMPARED_LENGTH = 80

/** Whether an error repeats or wraps the error of a run below, in whole or by its message. */
export function repeatsError(error: string, below: string): boolean {
  if (error === '' || error === below) return true
  const [outer, inner] = [simplify(error), simplify(below)]
  return includesMessage(outer, inner) || includesMessage(inner, outer)
}

function includesMessage(text: string, error: string): boolean {
  const message = error.replace(/^[\w$.]+: /, '')
  const sought = message.length < SHORTEST_MESSAGE ? error : message
  return sought.length >= SHORTEST_MESSAGE && text.includes(sought.slice(0, COMPARED_LENGTH))
}

/** Quotes and escapes differ when an error is printed inside another one. */
function simplify(error: string): string {
  return error
    .replace(/[\\'"`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/**
 * The cause to go to from a run: from a cause the next one of the list, from another failed run its own cause, from any
 * other run the nearest cause after or before it in drawing order. Wraps around.
 */
export function findNextCause({ causes, causeOf }: Failures, from: number, direction: 1 | -1): number | undefined {
  const at = causes.indexOf(from)
  if (at !== -1) return causes[(at + direction + causes.length) % causes.length]
  const own = causeOf.get(from)
  if (own !== undefined) return own
  const inOrder = [...causes].sort((one, other) => one - other)
  const next = direction === 1 ? inOrder.find((row) => row > from) : inOrder.findLast((row) => row < from)
  return next ?? inOrder.at(direction === 1 ? 0 : -1)
}

/** An error without the module of its type. */
export function shortenErrorType(error: string): string {
  return error.replace(/^(?:\w+\.)+(?=[A-Z]\w*(?::|$))/, '')
}
