import { ApiError, type Review, type ReviewUpdate } from '@touchstone/contract'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../http/caller.ts'
import { joined } from '../../storage/relational/joined.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../queue-items/index.ts'
import { decideReview } from './decide-review.ts'
import { type Desk, type DeskDeps, deskAt } from './desk.ts'
import { getQueue } from './get-queue.ts'
import { effectiveAddedAt, inSection, isMine, mine } from './sections.ts'
import { queueReviews } from './tables.ts'

/**
 * Notes what the caller says of an item. Reviewers of one item take turns on its row, so what one decides the next one
 * sees, whichever server asks.
 *
 * @throws ApiError NOT_FOUND, CONFLICT when others have taken its places, FORBIDDEN for whoever may not review
 */
export async function reviewItem(
  deps: DeskDeps,
  caller: Caller,
  itemId: string,
  update: ReviewUpdate,
): Promise<Review> {
  return deps.relational.transaction(async (tx) => {
    const ofTenant = and(eq(queueItems.tenant_id, caller.tenantId), eq(queueItems.id, itemId))
    const [found] = await tx.select({ queueId: queueItems.queue_id }).from(queueItems).where(ofTenant)
    if (found === undefined) throw unknownItem()
    const desk = await lockDesk(deps, tx, caller, found.queueId)
    const [item] = await tx.select().from(queueItems).where(ofTenant).for('update')
    if (item === undefined) throw unknownItem()
    return review(tx, desk, item, update)
  })
}

/**
 * Reserves the first run that needs the review of the caller; one that the caller holds is among them, so asking twice
 * gives the same.
 *
 * @returns the id of the item, or undefined when there is none
 */
export async function takeNext(deps: DeskDeps, caller: Caller, queueId: string): Promise<string | undefined> {
  return deps.relational.transaction(async (tx) => {
    const desk = await lockDesk(deps, tx, caller, queueId)
    // What others have locked this moment is most likely taken. Only when nothing else is left, wait for them.
    for (const skipLocked of [true, false]) {
      for (;;) {
        const item = await lockFirst(tx, desk, skipLocked)
        if (item === undefined) break
        // The row is ours now, but its reviews may have changed since the statement began that found it.
        if (!(await isStillMine(tx, desk, item.id))) continue
        await review(tx, desk, item, { status: 'viewed' })
        return item.id
      }
    }
    return undefined
  })
}

export const unknownItem = () => new ApiError('NOT_FOUND', 'Item of an annotation queue not found')

/** The queue stays as it is until the transaction ends: a review is decided by rules that hold. */
async function lockDesk(deps: DeskDeps, tx: Database, caller: Caller, queueId: string): Promise<Desk> {
  const inside = { ...deps, relational: joined(deps.relational, tx) }
  return deskAt(inside, caller, await getQueue(tx, caller.tenantId, queueId, 'share'))
}

async function lockFirst(tx: Database, desk: Desk, skipLocked: boolean): Promise<QueueItemRow | undefined> {
  const [row] = await tx
    .select({ item: queueItems })
    .from(queueItems)
    .leftJoin(mine, isMine(desk))
    .where(and(needsMe(desk), sql`${queueItems.run_id} is not null`))
    .orderBy(asc(effectiveAddedAt), asc(queueItems.number))
    .limit(1)
    .for('update', { of: queueItems, ...(skipLocked && { skipLocked }) })
  return row?.item
}

async function isStillMine(tx: Database, desk: Desk, itemId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: queueItems.id })
    .from(queueItems)
    .leftJoin(mine, isMine(desk))
    .where(and(needsMe(desk), eq(queueItems.id, itemId)))
  return rows.length > 0
}

const needsMe = (desk: Desk) =>
  and(
    eq(queueItems.queue_id, desk.queue.id),
    eq(queueItems.tenant_id, desk.queue.tenant_id),
    inSection(desk, 'needs_my_review'),
  )

/** @param item  locked */
async function review(tx: Database, desk: Desk, item: QueueItemRow, update: ReviewUpdate): Promise<Review> {
  const reviews = await tx.select().from(queueReviews).where(eq(queueReviews.item_id, item.id))
  const { review: next, completions } = decideReview(desk, reviews, update)
  const own = { item_id: item.id, identity_id: desk.identityId, ...next }
  await tx
    .insert(queueReviews)
    .values(own)
    .onConflictDoUpdate({ target: [queueReviews.item_id, queueReviews.identity_id], set: next })
  const isArchived = completions >= desk.required
  const isNew = next.completed_at === desk.now
  if (isArchived !== (item.completed_at !== null) || isNew) {
    const completed_at = isArchived ? (item.completed_at ?? desk.now) : null
    const last_reviewed_time = isNew ? desk.now : item.last_reviewed_time
    await tx.update(queueItems).set({ completed_at, last_reviewed_time }).where(eq(queueItems.id, item.id))
  }
  return {
    queue_item_id: item.id,
    status: update.status ?? null,
    is_archived: isArchived,
    override_added_at: next.override_added_at,
  }
}
