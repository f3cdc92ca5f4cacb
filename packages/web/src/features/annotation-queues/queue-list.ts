import { hidesOthersScores } from '@touchstone/contract/hidden-scores'
import type { AnnotationQueue, AnnotationQueueProgress, AnnotationQueueWithDetails, Me } from '@touchstone/sdk'

/** A queue and, once loaded, its progress for the caller. */
export interface QueueRow {
  queue: AnnotationQueue
  progress: AnnotationQueueProgress | undefined
  /** Name of the dataset that receives corrections. */
  dataset: string | undefined
}

/** Queues whose name or description contains the text; those that wait for the caller first, then by their latest activity. */
export function selectQueues(rows: readonly QueueRow[], text: string): QueueRow[] {
  const word = text.trim().toLowerCase()
  return rows
    .filter(({ queue }) => `${queue.name}\n${queue.description ?? ''}`.toLowerCase().includes(word))
    .sort(
      (a, b) =>
        Number(isWaiting(b)) - Number(isWaiting(a)) || getActivity(b).localeCompare(getActivity(a)) || byName(a, b),
    )
}

const isWaiting = ({ progress }: QueueRow) => (progress?.needs_my_review ?? 0) > 0
const byName = (a: QueueRow, b: QueueRow) => a.queue.name.localeCompare(b.queue.name)

/** Time of the last review, else of the last change of the queue. */
export function getActivity({ queue, progress }: QueueRow): string {
  return progress?.last_reviewed_time ?? queue.updated_at
}

/** Shares of the progress bar, from 0 to 1. Empty queues have an empty bar. */
export function toShares(
  progress: Pick<AnnotationQueueProgress, 'needs_my_review' | 'needs_others_review' | 'completed'>,
) {
  const total = progress.needs_my_review + progress.needs_others_review + progress.completed
  const share = (count: number) => (total === 0 ? 0 : count / total)
  return {
    total,
    mine: share(progress.needs_my_review),
    others: share(progress.needs_others_review),
    done: share(progress.completed),
  }
}

/** How many reviewers an item needs, in words. */
export function describeReviewers({
  num_reviewers_per_item: count,
  reviewer_access_mode: access,
}: AnnotationQueue): string {
  const who = access === 'assigned' ? 'assigned' : 'anyone'
  if (count === null) return access === 'assigned' ? 'all assigned' : 'everyone'
  return count === undefined || count === 1 ? `1, ${who}` : `${count}, ${who}`
}

/** A reservation in words; undefined for queues without reservations. */
export function describeReservation({ enable_reservations: enabled, reservation_minutes: minutes }: AnnotationQueue) {
  return enabled === false ? undefined : `${minutes ?? 1} min`
}

export type SelectionAction = { kind: 'toggle'; id: string } | { kind: 'clear' }

/** The selected items of a queue. */
export function reduceSelection(selected: ReadonlySet<string>, action: SelectionAction): ReadonlySet<string> {
  if (action.kind === 'clear') return new Set()
  const next = new Set(selected)
  if (!next.delete(action.id)) next.add(action.id)
  return next
}

/** Whether a queue hides the scores of other people from the caller, until the caller has completed an item. */
export function isBlindReviewer(
  queue: Pick<AnnotationQueueWithDetails, 'hide_others_scores' | 'reviewer_access_mode' | 'assigned_reviewers'>,
  { kind, id, role }: Pick<Me, 'kind' | 'id' | 'role'>,
): boolean {
  const isAssigned = queue.assigned_reviewers?.some((reviewer) => reviewer.id === id) ?? false
  return hidesOthersScores(queue, { kind, role, isAssigned })
}
