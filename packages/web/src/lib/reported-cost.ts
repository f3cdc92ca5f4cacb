import { formatCost, pluralize } from './format.ts'

/** A cost, and what it consists of. */
export interface CostParts {
  readonly total: string | number | null | undefined
  /** The part that the client reported, because no price is known. */
  readonly reported: string | number | null | undefined
  /** Calls whose cost is without their fees, such as those of searches. */
  readonly fees?: number | null | undefined
}

/** What to say about a cost; undefined when all of it was computed, and nothing is missing as far as is known. */
export function describeCost(parts: CostParts): string | undefined {
  const notes = [describeReportedCost(parts), describeFees(parts)].filter((note) => note !== undefined)
  return notes.length === 0 ? undefined : notes.join(', ')
}

/** A cost without some fees is a lower bound. */
export const getBoundMark = ({ total, fees }: Omit<CostParts, 'reported'>) => (total != null && fees ? '≥ ' : '')

function describeFees({ total, fees }: CostParts): string | undefined {
  if (total == null || !fees) return undefined
  return `without the fees of ${pluralize(fees, 'call')}, such as those of searches, which have no price`
}

function describeReportedCost({ total, reported }: CostParts): string | undefined {
  if (total == null || reported == null || Number(reported) === 0) return undefined
  if (Math.abs(Number(reported) - Number(total)) <= 1e-12 * Number(total)) return 'reported by the client, not computed'
  return `of it ${formatCost(String(reported))} reported by the client`
}

/** A cost as text, for files: `$0.50 (reported by the client, not computed)`. */
export function printMarkedCost(parts: CostParts): string {
  const text = formatCost(parts.total == null ? undefined : String(parts.total))
  const note = describeCost(parts)
  return note === undefined ? text : `${getBoundMark(parts)}${text} (${note})`
}
