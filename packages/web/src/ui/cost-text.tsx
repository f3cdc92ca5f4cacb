import { formatCost } from '#lib/format.ts'
import { type CostParts, describeCost, getBoundMark } from '#lib/reported-cost.ts'

interface CostTextProps extends CostParts {
  /** Tooltip of a cost that is not known. */
  unknown?: string | undefined
}

/**
 * A cost with all its digits in the tooltip, a star when the client reported it or a part of it, and `≥` when fees are not in
 * it.
 */
export function CostText({ total, reported, fees, unknown }: CostTextProps) {
  const text = formatCost(total == null ? undefined : String(total))
  const note = describeCost({ total, reported, fees })
  if (note === undefined) return <span title={total == null ? unknown : `$${total}`}>{text}</span>
  return (
    <span title={`$${total}, ${note}`}>
      {getBoundMark({ total, fees })}
      {text}
      {Boolean(Number(reported)) && (
        <span aria-hidden className="text-fg-subtle">
          *
        </span>
      )}
      <span className="sr-only">, {note}</span>
    </span>
  )
}
