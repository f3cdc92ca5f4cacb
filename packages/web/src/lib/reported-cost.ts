import { formatCost } from './format.ts'

/** A cost, and the part of it that the client reported because no price is known. */
export interface CostParts {
  readonly total: string | number | null | undefined
  readonly reported: string | number | null | undefined
}

/** What to say about a cost that was reported in whole or in part; undefined when all of it was computed. */
export function describeReportedCost({ total, reported }: CostParts): string | undefined {
  if (total == null || reported == null || Number(reported) === 0) return undefined
  if (Math.abs(Number(reported) - Number(total)) <= 1e-12 * Number(total)) return 'reported by the client, not computed'
  return `of it ${formatCost(String(reported))} reported by the client`
}

/** A cost as text, for files: `$0.50 (reported by the client, not computed)`. */
export function printMarkedCost(parts: CostParts): string {
  const text = formatCost(parts.total == null ? undefined : String(parts.total))
  const note = describeReportedCost(parts)
  return note === undefined ? text : `${text} (${note})`
}
