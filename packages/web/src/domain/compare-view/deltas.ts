import type { Run } from '@touchstone/contract'
import { formatCost, formatLatency, formatScore, formatTokens, UNKNOWN } from '#lib/format/format.ts'
import { bigintAt, floatAt } from '#lib/trace-model/columns.ts'
import { durationAt, formatPicodollars, type Trace } from '#lib/trace-model/trace.ts'

/** One figure on both sides and what lies between them, as text. */
export interface Delta {
  a: string
  b: string
  /** With its sign; empty when there is none, or one side is unknown. */
  change: string
  verdict: 'better' | 'worse' | 'same'
}

/** How long the run took. */
export function latencyDelta(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  return delta(
    at(rowA, () => durationAt(a, rowA)),
    at(rowB, () => durationAt(b, rowB)),
    (micros) => formatLatency(micros / 1000),
  )
}

/** Tokens of the run and all below it; unknown where none were reported. */
export function tokensDelta(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  const tokens = (trace: Trace, row: number) =>
    floatAt(trace.subtreePromptTokens, row) + floatAt(trace.subtreeCompletionTokens, row) || Number.NaN
  return delta(
    at(rowA, () => tokens(a, rowA)),
    at(rowB, () => tokens(b, rowB)),
    formatTokens,
  )
}

/** Cost of the run and all below it; unknown where a price is missing, or nothing was to be paid for. */
export function costDelta(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
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
 * Scores of both sides by key, averaged where there are several; of a key without scores, its most frequent value.
 *
 * @param lowerIsBetter  keys of which a lower score is the better one
 */
export function feedbackDeltas(
  a: Run['feedback_stats'],
  b: Run['feedback_stats'],
  lowerIsBetter: ReadonlySet<string>,
): FeedbackDelta[] {
  const keys = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])].sort()
  return keys.map((key) => {
    const [one, other] = [a?.[key], b?.[key]]
    if (one?.avg == null && other?.avg == null) {
      return { key, delta: { a: mostFrequent(one), b: mostFrequent(other), change: '', verdict: 'same' } }
    }
    const score = delta(one?.avg ?? Number.NaN, other?.avg ?? Number.NaN, formatScore)
    return { key, delta: lowerIsBetter.has(key) ? score : { ...score, verdict: OPPOSITE[score.verdict] } }
  })
}

const OPPOSITE = { better: 'worse', worse: 'better', same: 'same' } as const

type Stat = NonNullable<Run['feedback_stats']>[string]

function mostFrequent(stat: Stat | undefined): string {
  if (!stat) return UNKNOWN
  const [first] = Object.entries(stat.values ?? {}).sort(([, one], [, other]) => other - one)
  return first?.[0] ?? `×${stat.n}`
}

function at(row: number, read: () => number): number {
  return row === -1 ? Number.NaN : read()
}

function delta(a: number, b: number, format: (value: number) => string): Delta {
  const print = (value: number) => (Number.isNaN(value) ? UNKNOWN : format(value))
  const between = b - a
  const isSame = Number.isNaN(between) || between === 0
  return {
    a: print(a),
    b: print(b),
    change: isSame ? '' : `${between > 0 ? '+' : '-'}${format(Math.abs(between))}`,
    verdict: isSame ? 'same' : between > 0 ? 'worse' : 'better',
  }
}
