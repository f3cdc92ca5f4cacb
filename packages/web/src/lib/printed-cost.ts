import { formatCost } from './format.ts'
import { type CostParts, describeCost, getBoundMark } from './reported-cost.ts'

/** A cost as text, for files: `$0.50 (reported by the client, not computed)`. */
export function printMarkedCost(parts: CostParts): string {
  const text = getBoundMark(parts) + formatCost(parts.total == null ? undefined : String(parts.total))
  const note = describeCost(parts)
  return note === undefined ? text : `${text} (${note})`
}
