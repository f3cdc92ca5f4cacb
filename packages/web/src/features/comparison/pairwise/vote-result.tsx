import { formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { AgreementLine } from './agreement-line.tsx'
import type { VoteSession } from './pair-votes.ts'
import type { PairRow, Preference } from './pairwise.ts'
import { labelSide, type Sides } from './win-bars.tsx'

export interface VoteResultProps {
  session: VoteSession
  rows: readonly PairRow[]
  sides: Sides
  feedbackKey: string
  onRepeat: () => void
  onClose: () => void
}

/** The end of a sitting: which sides the votes were for, and how they agree with the judges. */
export function VoteResult({ session, rows, sides, feedbackKey, onRepeat, onClose }: VoteResultProps) {
  const { votes, failed } = session
  const mine = rows.flatMap(({ exampleId, verdicts }) =>
    votes.has(exampleId) ? (verdicts.get(feedbackKey)?.mine ?? []) : [],
  )
  const bad = [...votes.values()].filter((vote) => vote === 'both bad').length
  const count = (wanted: Preference) => mine.filter((one) => one === wanted).length
  const lines = [
    [labelSide(sides, 'a'), count('a')],
    [labelSide(sides, 'b'), count('b')],
    [bad === 0 ? 'Tie' : `Tie (${formatCount(bad)} both bad)`, count('tie')],
  ] as const
  return (
    <section aria-label="Your votes" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-xl flex-col gap-3 p-6">
        <h2 className="text-heading font-semibold">You voted on {pluralize(votes.size, 'pair')}</h2>
        <dl className="flex flex-col gap-1">
          {lines.map(([label, n]) => (
            <div key={label} className="flex min-w-0 justify-between gap-3 border-b border-border py-1 text-form">
              <dt className="truncate" title={label}>
                {label}
              </dt>
              <dd className="font-medium tabular-nums">{formatCount(n)}</dd>
            </div>
          ))}
        </dl>
        <AgreementLine rows={rows} feedbackKey={feedbackKey} />
        {failed.size > 0 && (
          <p role="alert" className="text-row text-err">
            {pluralize(failed.size, 'vote was', 'votes were')} not saved.
          </p>
        )}
        <div className="flex gap-2">
          <Button look="primary" onClick={onClose}>
            Show the results
          </Button>
          {failed.size > 0 && <Button onClick={onRepeat}>Vote on them again</Button>}
        </div>
      </div>
    </section>
  )
}
