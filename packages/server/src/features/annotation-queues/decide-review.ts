import { ApiError, microsOf, type ReviewUpdate, timeOfMicros } from '@touchstone/contract'
import type { ReviewRow } from '../../storage/relational/tables/annotation-queues.ts'
import type { ReviewContext } from './review-context.ts'

/** What a reviewer's word makes of an item. */
export interface Decision {
  readonly review: Omit<ReviewRow, 'item_id' | 'identity_id'>
  /** How many reviewers have completed the item then. */
  readonly completions: number
}

/**
 * Decides over one item: never more reviewers complete or hold it than its queue asks for.
 *
 * @param reviews  of the item, as they are while nobody else changes them
 * @throws ApiError CONFLICT when others have taken its places, FORBIDDEN for whoever may not review
 */
export function decideReview(context: ReviewContext, reviews: readonly ReviewRow[], update: ReviewUpdate): Decision {
  const { queue, now, required, identityId } = context
  const own = reviews.find((review) => review.identity_id === identityId)
  const others = reviews.filter((review) => review.identity_id !== identityId)
  const doneByOthers = others.filter((review) => review.completed_at !== null).length
  const held = others.filter((review) => review.completed_at === null && isHeld(context, review))
  const override_added_at = update.override_added_at ?? own?.override_added_at ?? null

  if (update.status == null) {
    return { review: { reserved_until: null, completed_at: null, override_added_at }, completions: doneByOthers }
  }
  if (!context.mayReview) throw new ApiError('FORBIDDEN', 'Only its assigned reviewers review this queue.')
  if (own?.completed_at) return { review: { ...own, override_added_at }, completions: doneByOthers + 1 }
  if (doneByOthers >= required) {
    if (update.status === 'completed') throw new ApiError('CONFLICT', 'Enough reviewers have completed this item.')
    return { review: { reserved_until: null, completed_at: null, override_added_at }, completions: doneByOthers }
  }
  if (doneByOthers + held.length >= required) {
    const until = held.map((review) => review.reserved_until!).sort()[0]
    throw new ApiError('CONFLICT', `The item is reserved by another reviewer until ${until}.`)
  }
  if (update.status === 'completed') {
    return { review: { reserved_until: null, completed_at: now, override_added_at }, completions: doneByOthers + 1 }
  }
  const reserved_until = queue.enable_reservations ? later(now, queue.reservation_minutes) : null
  return { review: { reserved_until, completed_at: null, override_added_at }, completions: doneByOthers }
}

function isHeld({ queue, now }: ReviewContext, { reserved_until }: ReviewRow): boolean {
  return queue.enable_reservations && reserved_until !== null && reserved_until > now
}

const later = (time: string, minutes: number) => timeOfMicros(microsOf(time) + BigInt(minutes) * 60_000_000n)
