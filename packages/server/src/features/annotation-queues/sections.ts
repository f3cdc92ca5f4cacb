import type { ReviewStatus } from '@touchstone/contract'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { queueReviews } from '../../storage/relational/tables/annotation-queues.ts'
import type { Desk } from './desk.ts'
import { queueItems } from './items/index.ts'

/** What the caller has done with an item; join it by `isMine`. */
export const mine = alias(queueReviews, 'mine')

export const isMine = ({ identityId }: Desk) => and(eq(mine.item_id, queueItems.id), eq(mine.identity_id, identityId))

/** What the order of the caller follows. */
export const effectiveAddedAt = sql<string>`coalesce(${mine.override_added_at}, ${queueItems.added_at})`.mapWith(
  queueItems.added_at,
)

/** The three sections divide the items of a queue for a caller. */
export function inSection(desk: Desk, section: ReviewStatus): SQL {
  if (section === 'completed') return sql`${queueItems.completed_at} is not null`
  const takes = canTake(desk)
  return sql`${queueItems.completed_at} is null and ${section === 'needs_my_review' ? takes : sql`not ${takes}`}`
}

/** Section of an item, as text. */
export function sectionOf(desk: Desk): SQL<ReviewStatus> {
  return sql`case
    when ${queueItems.completed_at} is not null then 'completed'
    when ${canTake(desk)} then 'needs_my_review'
    else 'needs_others_review' end`
}

/** The caller has not completed the item, and others leave a place. */
function canTake(desk: Desk): SQL {
  return sql`(${isNull(mine.completed_at)} and ${hasPlace(desk)})`
}

/** The caller may review, and fewer others than the queue asks for have completed the item or hold it. */
export function hasPlace(desk: Desk): SQL {
  return desk.mayReview ? sql`${placesTaken(desk)} < ${desk.required}::int` : sql`false`
}

/** How many others have completed an item or hold it. */
function placesTaken({ queue, identityId, now }: Desk): SQL {
  const held = queue.enable_reservations ? sql`or other.reserved_until > ${now}::timestamptz` : sql``
  return sql`(
    select count(*) from annotation_queue_reviews as other
    where other.item_id = ${queueItems.id} and other.identity_id <> ${identityId}::uuid
      and (other.completed_at is not null ${held}))`
}
