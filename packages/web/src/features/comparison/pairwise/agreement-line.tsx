import { describeKappa } from '@touchstone/contract/kappa'
import { formatRate, formatScore, pluralize } from '#lib/format.ts'
import { measureAgreement, type PairRow } from './pairwise.ts'

/** How far people agree with the judges, in one sentence; nothing while no pair was judged by both. */
export function AgreementLine({ rows, feedbackKey }: { rows: readonly PairRow[]; feedbackKey: string }) {
  const found = measureAgreement(rows, feedbackKey)
  if (found === undefined) return null
  const { items, equalShare, kappa, interval } = found
  const range = interval && `, 95\u00a0%\u00a0interval ${formatScore(interval.low)} to ${formatScore(interval.high)}`
  return (
    <p className="text-row">
      People and judges agree on {formatRate(equalShare)} of {pluralize(items, 'pair')}.{' '}
      {kappa === undefined ? (
        <span className="text-fg-muted">Cohen's kappa needs more than one kind of preference.</span>
      ) : (
        <span className="text-fg-muted">
          Cohen's kappa {formatScore(kappa)} ({describeKappa(kappa)}
          {range}).
        </span>
      )}
    </p>
  )
}
