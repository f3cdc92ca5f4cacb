import { useQuery } from '@tanstack/react-query'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { CircleCheck } from 'lucide-react'
import { formatCount, formatRate, formatScore, UNKNOWN } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/states.tsx'
import { countUnits } from '../count-units.ts'
import { queueQuery } from '../queries.ts'
import { describeAlpha, getMedianMs, type ReviewSession } from './logic/review-session.ts'

interface ReviewEndProps {
  queue: AnnotationQueueWithDetails
  session: ReviewSession
  onRestart: () => void
  onLeave: () => void
  onUndo: () => void
}

/** Shown after the last item: what was done, how fast, and how far the reviewers agree. */
export function ReviewEnd({ queue, session, onRestart, onLeave, onUndo }: ReviewEndProps) {
  const found = useQuery(queueQuery.progress([queue.id])).data?.get(queue.id)
  const progress = found && countUnits(queue, found)
  const median = getMedianMs(session)
  const count = session.done.size
  const left = progress?.needs_my_review ?? 0
  const total = progress && progress.completed + progress.needs_my_review + progress.needs_others_review
  return (
    <section aria-label="Summary" className="mx-auto flex w-full max-w-2xl flex-col gap-6 overflow-y-auto px-4 py-10">
      <div className="flex flex-col items-center gap-2 text-center">
        <CircleCheck size={28} strokeWidth={1.5} className="text-ok" aria-hidden />
        <h2 className="text-title font-semibold">
          {count > 0 ? 'Nothing left to review' : 'Nothing needs your review'}
        </h2>
        <p className="text-base text-fg-muted">
          {left > 0
            ? `${formatCount(left)} more can be reviewed by you now.`
            : progress && progress.needs_others_review > 0
              ? `${formatCount(progress.needs_others_review)} wait for other reviewers.`
              : total === 0
                ? 'The queue has no items. Add runs from a project, an experiment or a thread.'
                : 'All items of the queue are done.'}
        </p>
      </div>
      {count > 0 && (
        <dl className="grid grid-cols-3 gap-2 text-center">
          <Figure label="Reviewed now" value={formatCount(count)} />
          <Figure
            label="Median per item"
            value={median === undefined ? UNKNOWN : `${(median / 1000).toFixed(median < 10_000 ? 1 : 0)} s`}
          />
          <Figure
            label="Queue done"
            value={
              progress && total !== undefined ? `${formatCount(progress.completed)} / ${formatCount(total)}` : UNKNOWN
            }
          />
        </dl>
      )}
      <Agreement queueId={queue.id} />
      <div className="flex flex-wrap justify-center gap-2">
        {findUndo(session) && <Button onClick={onUndo}>Undo the last Done</Button>}
        <Button onClick={onRestart}>Look for more</Button>
        <Button look="primary" onClick={onLeave}>
          Back to the queue
        </Button>
      </div>
    </section>
  )
}

const findUndo = ({ done }: ReviewSession) => done.size > 0

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex flex-col-reverse rounded-card border border-border bg-surface px-2 py-3">
      <dt className="text-row text-fg-muted">{label}</dt>
      <dd className="text-stat tabular-nums">{value}</dd>
    </div>
  )
}

/** How far the reviewers agree, by question; hidden until two people have reviewed the same item. */
function Agreement({ queueId }: { queueId: string }) {
  const read = useQuery(queueQuery.agreement(queueId))
  if (read.isError) {
    return (
      <ErrorState compact title="Could not load the agreement" error={read.error} onRetry={() => void read.refetch()} />
    )
  }
  if (!read.data || read.data.items === 0) return null
  return (
    <section aria-labelledby="agreement" className="rounded-card border border-border bg-surface p-3">
      <h3 id="agreement" className="text-form font-semibold">
        Agreement between reviewers
      </h3>
      <p className="text-row text-fg-muted">
        Krippendorff’s alpha over {formatCount(read.data.items_read)}{' '}
        {read.data.items_read < read.data.items && `of ${formatCount(read.data.items)} `}
        items with at least two reviews: 1 is agreement, 0 is chance.
      </p>
      <table className="mt-2 w-full text-row">
        <thead className="text-left text-meta text-fg-subtle">
          <tr>
            <th className="py-1 font-normal">Question</th>
            <th className="px-2 py-1 text-right font-normal">Alpha</th>
            <th className="px-2 py-1 text-right font-normal">Equal answers</th>
            <th className="px-2 py-1 text-right font-normal max-sm:hidden">Items</th>
            <th className="py-1 pl-4 font-normal">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {read.data.keys.map(({ key, alpha, equal_share, items }) => (
            <tr key={key} className="border-t border-border">
              <td className="max-w-40 truncate py-1">{key}</td>
              <td className="num px-2 py-1 text-right font-medium">{formatScore(alpha)}</td>
              <td className="num px-2 py-1 text-right">{formatRate(equal_share)}</td>
              <td className="num px-2 py-1 text-right max-sm:hidden">{formatCount(items)}</td>
              <td className="py-1 pl-4 text-fg-muted">{describeAlpha(alpha, items)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
