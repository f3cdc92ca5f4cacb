import { formatCost, formatLatency, formatTokens, UNKNOWN } from '#lib/fmt.ts'
import { dollars, durationAt, type Trace } from '#lib/trace-model/trace.ts'

/** One figure on both sides and what lies between them, as text. Less is better in all of them. */
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
    trace.subtreePromptTokens[row]! + trace.subtreeCompletionTokens[row]! || Number.NaN
  return delta(
    at(rowA, () => tokens(a, rowA)),
    at(rowB, () => tokens(b, rowB)),
    formatTokens,
  )
}

/** Cost of the run and all below it; unknown where a price is missing, or nothing was to be paid for. */
export function costDelta(a: Trace, rowA: number, b: Trace, rowB: number): Delta {
  const cost = (trace: Trace, row: number) =>
    trace.subtreeUnpriced[row] === 0 ? Number(trace.subtreeCost[row]!) || Number.NaN : Number.NaN
  return delta(
    at(rowA, () => cost(a, rowA)),
    at(rowB, () => cost(b, rowB)),
    (pico) => formatCost(dollars(BigInt(Math.round(pico)))),
  )
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
