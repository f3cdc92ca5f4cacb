import type { Run } from '@touchstone/contract'
import { bigintAt, floatAt } from '#lib/columns.ts'
import { formatCost, formatLatency, formatScore, formatTokens, UNKNOWN } from '#lib/format.ts'
import { durationAt, formatPicodollars, type Trace } from '../model/trace.ts'

/** A figure of both sides and their difference, as text. */
export interface Delta {
  a: string
  b: string
  /** With a sign. Empty if the figures are equal or one of them is unknown. */
  change: string
  verdict: 'better' | 'worse' | 'same'
}

/** Compares the latency of two runs. */
export function compareLatency(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  return delta(
    at(rowA, () => durationAt(a, rowA)),
    at(rowB, () => durationAt(b, rowB)),
    (micros) => formatLatency(micros / 1000),
  )
}

/** Compares the tokens of two runs and their descendants. Unknown if no tokens were reported. */
export function compareTokens(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  const tokens = (trace: Trace, row: number) =>
    floatAt(trace.subtreePromptTokens, row) + floatAt(trace.subtreeCompletionTokens, row) || Number.NaN
  return delta(
    at(rowA, () => tokens(a, rowA)),
    at(rowB, () => tokens(b, rowB)),
    formatTokens,
  )
}

/** Compares the cost of two runs and their descendants. Unknown if a price is missing or nothing has a cost. */
export function compareCost(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  const cost = (trace: Trace, row: number) =>
    trace.subtreeUnpriced[row] === 0 ? Number(bigintAt(trace.subtreeCost, row)) || Number.NaN : Number.NaN
  return delta(
    at(rowA, () => cost(a, rowA)),
    at(rowB, () => cost(b, rowB)),
    (pico) => formatCost(formatPicodollars(BigInt(Math.round(pico)))),
  )
}

export interface FeedbackDelta {
  key: string
  delta: Delta
}

/**
 * Compares the average scores of two runs by feedback key. A key without scores shows its most frequent value.
 *
 * @param lowerIsBetter  keys for which a lower score is better
 */
export function compareFeedback(
  a: Run['feedback_stats'],
  b: Run['feedback_stats'],
  lowerIsBetter: ReadonlySet<string>,
): FeedbackDelta[] {
  const keys = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])].sort()
  return keys.map((key) => {
    const [one, other] = [a?.[key], b?.[key]]
    if (one?.avg == null && other?.avg == null) {
      return { key, delta: { a: findMostFrequent(one), b: findMostFrequent(other), change: '', verdict: 'same' } }
    }
    const score = delta(one?.avg ?? Number.NaN, other?.avg ?? Number.NaN, formatScore)
    return { key, delta: lowerIsBetter.has(key) ? score : { ...score, verdict: OPPOSITE[score.verdict] } }
  })
}

const OPPOSITE = { better: 'worse', worse: 'better', same: 'same' } as const

type Stat = NonNullable<Run['feedback_stats']>[string]

function findMostFrequent(stat: Stat | undefined): string {
  if (!stat) return UNKNOWN
  const [first] = Object.entries(stat.values ?? {}).sort(([, one], [, other]) => other - one)
  return first?.[0] ?? `×${stat.n}`
}

function at(row: number, read: () => number): number {
  return row === -1 ? Number.NaN : read()
}

function delta(a: number, b: number, format: (value: number) => string): Delta {
  const print = (value: number) => (Number.isNaN(value) ? UNKNOWN : format(value))
  const difference = b - a
  const isSame = Number.isNaN(difference) || difference === 0
  return {
    a: print(a),
    b: print(b),
    change: isSame ? '' : `${difference > 0 ? '+' : '-'}${format(Math.abs(difference))}`,
    verdict: isSame ? 'same' : difference > 0 ? 'worse' : 'better',
  }
}

export interface MetadataChange {
  key: string
  a: string | undefined
  b: string | undefined
}

/** Metadata keys with different values in two runs, in alphabetical order. Tags are compared like a metadata key. */
export function compareMetadata(a: Run | undefined, b: Run | undefined): MetadataChange[] {
  const [one, other] = [readValues(a), readValues(b)]
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => one.get(key) !== other.get(key))
    .sort()
    .map((key) => ({ key, a: one.get(key), b: other.get(key) }))
}

function readValues(run: Run | undefined): Map<string, string> {
  const metadata = (run?.extra?.metadata ?? {}) as Record<string, unknown>
  const values = new Map(Object.entries(metadata).map(([key, value]) => [key, printValue(value)]))
  if (run?.tags && run.tags.length > 0) values.set('tags', run.tags.toSorted().join(', '))
  return values
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
