import type { ReviewStatus } from '@touchstone/contract'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { queueReviews } from '../../storage/relational/tables/annotation-queues.ts'
import { queueItems } from './items/index.ts'
import type { ReviewContext } from './review-context.ts'

/** What the caller has done with an item; join it by `isMine`. */
export const mine = alias(queueReviews, 'mine')

export const isMine = ({ identityId }: ReviewContext) =>
  and(eq(mine.item_id, queueItems.id), eq(mine.identity_id, identityId))

/** What the order of the caller follows. */
export const effectiveAddedAt = sql<string>`coalesce(${mine.override_added_at}, ${queueItems.added_at})`.mapWith(
  queueItems.added_at,
)

/** The three sections divide the items of a queue for a caller. */
export function inSection(context: ReviewContext, section: ReviewStatus): SQL {
  if (section === 'completed') return sql`${queueItems.completed_at} is not null`
  const takes = canTake(context)
  return sql`${queueItems.completed_at} is null and ${section === 'needs_my_review' ? takes : sql`not ${takes}`}`
}

/** Section of an item, as text. */
export function selectSection(context: ReviewContext): SQL<ReviewStatus> {
  return sql`case
    when ${queueItems.completed_at} is not null then 'completed'
    when ${canTake(context)} then 'needs_my_review'
    else 'needs_others_review' end`
}

/** The caller has not completed the item, and others leave a place. */
function canTake(context: ReviewContext): SQL {
  return sql`(${isNull(mine.completed_at)} and ${hasPlace(context)})`
}

/** The caller may review, and fewer others than the queue asks for have completed the item or hold it. */
export function hasPlace(context: ReviewContext): SQL {
  return context.mayReview ? sql`${placesTaken(context)} < ${context.required}::int` : sql`false`
}

/** How many others have completed an item or hold it. */
function placesTaken({ queue, identityId, now }: ReviewContext): SQL {
  const held = queue.enable_reservations ? sql`or other.reserved_until > ${now}::timestamptz` : sql``
  return sql`(
    select count(*) from annotation_queue_reviews as other
    where other.item_id = ${queueItems.id} and other.identity_id <> ${identityId}::uuid
      and (other.completed_at is not null ${held}))`
}
