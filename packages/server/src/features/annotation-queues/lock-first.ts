import type { QueueItemType } from '@touchstone/contract'
import { and, asc, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { hasPlace, type ItemFilter, isMine, matches, mine } from './read-items.ts'
import type { ReviewContext } from './review-item.ts'

/**
 * The first item that needs the review of the caller, locked until the transaction ends. What others have locked this
 * moment is passed over: it is most likely taken, and whoever waits while holding locks may wait for ever.
 */
export async function lockFirst(
  tx: Database,
  context: ReviewContext,
  type?: QueueItemType,
): Promise<QueueItemRow | undefined> {
  for (;;) {
    // What the caller put back stands elsewhere. Apart, neither needs the whole queue to be sorted.
    const candidates = [await lockPutBack(tx, context, type), await lockWaiting(tx, context, type)]
    const first = candidates.filter((one) => one !== undefined).sort(byPlace)[0]
    if (first === undefined) return undefined
    // The row is ours now, but its reviews may have changed since the statement began that found it.
    if (await needsMe(tx, context, { ids: [first.item.id] })) return first.item
  }
}

/** Whether an item needs the review of the caller. */
export async function needsMe(db: Database, context: ReviewContext, which: ItemFilter): Promise<boolean> {
  const rows = await db
    .select({ id: queueItems.id })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(matches(context, { ...which, section: 'needs_my_review' }))
    .limit(1)
  return rows.length > 0
}

interface Candidate {
  readonly item: QueueItemRow
  readonly at: string | null
}

/** Of what the caller has not put back, which is read in the order of an index, and no further than to the first. */
async function lockWaiting(
  tx: Database,
  context: ReviewContext,
  type: QueueItemType | undefined,
): Promise<Candidate | undefined> {
  // Counted rather than joined: of a join the planner expects that little is left, and sorts all of the queue for it.
  const touched = sql`(
    select count(*) from annotation_queue_reviews as own
    where own.item_id = ${queueItems.id} and own.identity_id = ${context.identityId}::uuid
      and (own.completed_at is not null or own.override_added_at is not null))`
  const [row] = await tx
    .select({ item: getTableColumns(queueItems), at: queueItems.added_at })
    .from(queueItems)
    .where(and(matches(context, { isCompleted: false, type }), hasPlace(context), sql`${touched} < 1`))
    .orderBy(asc(queueItems.added_at), asc(queueItems.number))
    .limit(1)
    .for('update', { skipLocked: true })
  return row
}

/** Of what the caller has put back: few, and found first, so that the rest of the queue is not looked at for them. */
async function lockPutBack(
  tx: Database,
  context: ReviewContext,
  type: QueueItemType | undefined,
): Promise<Candidate | undefined> {
  const putBack = sql`
    select item_id from annotation_queue_reviews
    where identity_id = ${context.identityId}::uuid and override_added_at is not null and completed_at is null`
  const [row] = await tx
    .select({ item: getTableColumns(queueItems), at: mine.override_added_at })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(and(matches(context, { section: 'needs_my_review', type }), sql`${queueItems.id} = any(array(${putBack}))`))
    .orderBy(asc(mine.override_added_at), asc(queueItems.number))
    .limit(1)
    .for('update', { of: queueItems, skipLocked: true })
  return row
}

function byPlace(a: Candidate, b: Candidate): number {
  if (a.at === b.at) return a.item.number - b.item.number
  return a.at! < b.at! ? -1 : 1
}
