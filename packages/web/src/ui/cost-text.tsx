import { formatCost } from '#lib/format.ts'
import { type CostParts, describeCost, getBoundMark } from '#lib/reported-cost.ts'

interface CostTextProps extends CostParts {
  /** Tooltip of a cost that is not known. */
  unknown?: string | undefined
}

/** A cost with all its digits in the tooltip, a star when the client reported a part of it, and `≥` when fees are not in it. */
export function CostText({ total, reported, fees, unknown }: CostTextProps) {
  const note = describeCost({ total, reported, fees })
  return (
    <span title={total == null ? unknown : `$${total}${note ? `, ${note}` : ''}`}>
      {getBoundMark({ total, fees })}
      {formatCost(total == null ? undefined : String(total))}
      {Number(reported) > 0 && (
        <span aria-hidden className="text-fg-subtle">
          *
        </span>
      )}
      {note && <span className="sr-only">, {note}</span>}
    </span>
  )
}
