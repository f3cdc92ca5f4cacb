import type { FeedbackStat } from '@touchstone/sdk'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { formatScore } from '#lib/format/format.ts'
import type { ValueAt } from './-use-run-values.tsx'

/** A value out of a payload, in one line; what was cut says so. */
export function ValueCell({ value }: { value: ReturnType<ValueAt> }) {
  if (value === undefined) return <span className="text-fg-subtle">…</span>
  if (value instanceof Error) {
    return (
      <span title={describeFailure(value).message} className="font-medium text-err">
        !
      </span>
    )
  }
  if (value === null) return <span className="text-fg-subtle">-</span>
  return (
    <span title={value.text.slice(0, 300)}>
      {value.text.replaceAll('\n', ' ⏎ ')}
      {value.is_cut && <span className="text-fg-subtle"> (cut)</span>}
    </span>
  )
}

/** The mean of one key of feedback, or how often a label was given. */
export function ScoreCell({ stat }: { stat: FeedbackStat | undefined }) {
  if (stat === undefined) return <span className="text-fg-subtle">-</span>
  return <span title={`${stat.n} given`}>{stat.avg === null ? `×${stat.n}` : formatScore(stat.avg)}</span>
}
