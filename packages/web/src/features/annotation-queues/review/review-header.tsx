import { useQuery } from '@tanstack/react-query'
import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { ArrowLeft, Clock, Lock, SkipForward, X } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Kbd } from '#ui/shortcuts.tsx'
import { countUnits } from '../count-units.ts'
import { queueQuery } from '../queries.ts'
import { formatCountdown, type ReservationState } from './logic/reservation.ts'
import type { ReviewState } from './use-review.ts'

interface ReviewHeaderProps {
  queue: AnnotationQueueWithDetails
  review: ReviewState
  /** No item is left to show. */
  isEnded: boolean
  onDone: () => void
  onLeave: () => void
}

/** Name, progress, time left, and the actions that go to another item. */
export function ReviewHeader({ queue, review, isEnded, onDone, onLeave }: ReviewHeaderProps) {
  const { session, row, isLost } = review
  const isOpen = row !== undefined
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border bg-surface px-3 py-1.5">
      <IconButton icon={X} label="Leave the review" keys="escape" onClick={onLeave} />
      <h1 className="min-w-0 max-w-[40vw] truncate text-base font-semibold" title={queue.name}>
        {queue.name}
      </h1>
      <Progress queue={queue} doneHere={session.done.size} />
      {review.reservation.state && isOpen && <Countdown state={review.reservation.state} />}
      <div className="ml-auto flex items-center gap-1.5">
        {(!isEnded || session.trail.length > 0) && (
          <Button onClick={review.previous} disabled={session.trail.length === 0} title="Previous item (←)">
            <ArrowLeft size={13} aria-hidden />
            <span className="max-sm:sr-only">Previous</span>
          </Button>
        )}
        {!isEnded && (
          <>
            <Button onClick={review.skip} disabled={!isOpen} title="Skip to the end, for you only (→)">
              <SkipForward size={13} aria-hidden />
              <span className="max-sm:sr-only">{isLost ? 'Next' : 'Skip'}</span>
            </Button>
            <Button look="primary" onClick={onDone} disabled={!isOpen || isLost}>
              Done
              <span className="max-sm:hidden">
                <Kbd keys="mod+enter" />
              </span>
            </Button>
          </>
        )}
      </div>
    </header>
  )
}

interface ProgressProps {
  queue: AnnotationQueueWithDetails
  doneHere: number
}

/** Items or pairs that this reviewer completed, of all that they could. */
function Progress({ queue, doneHere }: ProgressProps) {
  const progress = useQuery(queueQuery.progress([queue.id])).data?.get(queue.id)
  if (progress === undefined) return null
  const { completed_by_me: done, needs_my_review } = countUnits(queue, progress)
  const total = done + needs_my_review
  return (
    <div className="flex items-center gap-2 text-row text-fg-muted" title={`${formatCount(doneHere)} in this session`}>
      <span role="status" aria-label="Progress" className="num whitespace-nowrap">
        {formatCount(done)} / {formatCount(total)}
      </span>
      <span aria-hidden className="h-1.5 w-24 overflow-hidden rounded-control bg-sunken max-sm:hidden">
        <span className="block h-full bg-ok" style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
      </span>
    </div>
  )
}

function Countdown({ state }: { state: ReservationState }) {
  const isEnding = state.kind === 'ended' || state.isEnding
  return (
    <span
      title="The item is reserved for you. Activity extends the reservation."
      className={cx('flex items-center gap-1 text-row tabular-nums', isEnding ? 'text-warn' : 'text-fg-muted')}
    >
      <Clock size={13} aria-hidden />
      <span role="timer">
        {state.kind === 'ended' ? 'Reservation ended' : `Reserved ${formatCountdown(state.remainingMs)}`}
      </span>
    </span>
  )
}

/** What the reviewer has to know about the reservation of the open item. */
export function ReviewBanner({ review }: { review: ReviewState }) {
  const { reservation, isLost, isDone, row } = review
  if (row === undefined) return null
  if (isLost) {
    return (
      <Banner icon={Lock}>
        Another reviewer has taken this item. It is read-only here; the answers that you gave are saved.
        <Button onClick={review.skip}>Next item</Button>
      </Banner>
    )
  }
  if (isDone) {
    return (
      <Banner icon={Lock}>
        You have completed this item. Changes of answers are saved.
        <Button onClick={review.undo}>Undo the last Done</Button>
      </Banner>
    )
  }
  if (reservation.state?.kind === 'ended') {
    return (
      <Banner icon={Clock}>
        Your reservation has ended, so another reviewer can take this item. Your answers are saved.
        <Button onClick={reservation.reserve}>Reserve again</Button>
      </Banner>
    )
  }
  if (!reservation.state?.isEnding) return null
  return (
    <Banner icon={Clock}>
      Your reservation ends soon. It is extended when you continue.
      <Button onClick={reservation.reserve}>Extend</Button>
    </Banner>
  )
}

function Banner({ icon: Icon, children }: { icon: typeof Clock; children: React.ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-row text-fg"
    >
      <Icon size={13} aria-hidden className="shrink-0 text-warn" />
      {children}
    </div>
  )
}
