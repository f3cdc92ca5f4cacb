import { formatCost } from '#lib/format.ts'
import { type CostParts, describeReportedCost } from '#lib/reported-cost.ts'

interface CostTextProps extends CostParts {
  /** Tooltip of a cost that is not known. */
  unknown?: string | undefined
}

/** A cost with all its digits in the tooltip, and a star when the client reported it or a part of it. */
export function CostText({ total, reported, unknown }: CostTextProps) {
  const text = formatCost(total == null ? undefined : String(total))
  const note = describeReportedCost({ total, reported })
  if (note === undefined) return <span title={total == null ? unknown : `$${total}`}>{text}</span>
  return (
    <span title={`$${total}, ${note}`}>
      {text}
      <span aria-hidden className="text-fg-subtle">
        *
      </span>
      <span className="sr-only">, {note}</span>
    </span>
  )
}
