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
export function describeCost({ total, reported, fees }: CostParts): string | undefined {
  if (total == null) return undefined
  const missing = fees ? `without fees of ${pluralize(fees, 'call')}, such as those of searches` : ''
  if (!Number(reported)) return missing || undefined
  const isAll = Math.abs(Number(reported) - Number(total)) <= 1e-12 * Number(total)
  const part = isAll
    ? 'reported by the client, not computed'
    : `of it ${formatCost(String(reported))} reported by the client`
  return missing ? `${part}, ${missing}` : part
}

/** A cost without some fees is a lower bound. */
export const getBoundMark = ({ total, fees }: Omit<CostParts, 'reported'>) => (total != null && fees ? '≥ ' : '')
