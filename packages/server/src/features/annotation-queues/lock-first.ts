import type { QueueItemType } from '@touchstone/contract'
import { and, asc, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { type ItemFilter, isAvailable, isMine, matches, mine } from './read-items.ts'
import type { ReviewContext } from './review-item.ts'

/**
 * The first item that needs the review of the caller, locked until the transaction ends. Items that others have locked are
 * skipped: they are probably taken, and waiting for locks while holding locks could cause a deadlock.
 */
export async function lockFirst(
  tx: Database,
  context: ReviewContext,
  type?: QueueItemType,
): Promise<QueueItemRow | undefined> {
  for (;;) {
    // Items that the caller has put back have another position. With two queries, neither sorts the whole queue.
    const candidates = [await lockPutBack(tx, context, type), await lockWaiting(tx, context, type)]
    const first = candidates.filter((one) => one !== undefined).sort(compareCandidates)[0]
    if (first === undefined) return undefined
    // The row is locked now, but its reviews may have changed since the statement began.
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

/** The first item that the caller has not put back, found by an index. */
async function lockWaiting(
  tx: Database,
  context: ReviewContext,
  type: QueueItemType | undefined,
): Promise<Candidate | undefined> {
  // A count instead of a join: for a join, the planner expects few rows and sorts the whole queue.
  const touched = sql`(
    select count(*) from annotation_queue_reviews as own
    where own.item_id = ${queueItems.id} and own.identity_id = ${context.identityId}::uuid
      and (own.completed_at is not null or own.override_added_at is not null))`
  const [row] = await tx
    .select({ item: getTableColumns(queueItems), at: queueItems.added_at })
    .from(queueItems)
    .where(and(matches(context, { isCompleted: false, type }), isAvailable(context), sql`${touched} < 1`))
    .orderBy(asc(queueItems.added_at), asc(queueItems.number))
    .limit(1)
    .for('update', { skipLocked: true })
  return row
}

/** The first item that the caller has put back. These are few and are selected first, without reading the other items. */
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

function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.at === b.at) return a.item.number - b.item.number
  return (a.at ?? '') < (b.at ?? '') ? -1 : 1
}
