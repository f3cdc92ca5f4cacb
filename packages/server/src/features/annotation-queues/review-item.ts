import { setTimeout } from 'node:timers/promises'
import {
  ApiError,
  isAtLeast,
  microsOf,
  type QueueItemType,
  type Review,
  type ReviewUpdate,
  timeOfEpochMs,
  timeOfMicros,
} from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import {
  type QueueItemRow,
  type QueueRow,
  queueItems,
  queueReviews,
  type ReviewRow,
} from '../../storage/relational/tables/annotation-queues.ts'
import { countWriters, findIdentities, toIdentityId } from '../accounts/auth/index.ts'
import { lockFirst, needsMe } from './lock-first.ts'
import { deleteReviewer, getQueue, insertReviewer, selectReviewers, settleItems } from './store.ts'

type ReviewContextDeps = Pick<Deps, 'relational' | 'clock'>

/** A queue as one reviewer sits before it, at one moment. */
export interface ReviewContext {
  readonly queue: QueueRow
  readonly identityId: string
  readonly mayReview: boolean
  /** How many reviewers complete an item. */
  readonly required: number
  readonly now: string
}

/** @throws ApiError NOT_FOUND */
export async function openReviewContext(
  deps: ReviewContextDeps,
  caller: Caller,
  queueId: string,
): Promise<ReviewContext> {
  return deskAt(deps, caller, await getQueue(deps.relational.db, caller.tenantId, queueId))
}

async function deskAt(deps: ReviewContextDeps, caller: Caller, queue: QueueRow): Promise<ReviewContext> {
  const identityId = toIdentityId(caller)
  const assigned = await assignedTo(deps, queue)
  return {
    queue,
    identityId,
    mayReview: isAtLeast(caller.role, 'member') && (assigned === undefined || assigned.includes(identityId)),
    required: await countRequiredReviews(deps, queue, assigned),
    now: timeOfEpochMs(deps.clock()),
  }
}

/** How many reviewers complete an item of a queue: as many as it says, or all who may. */
export async function requiredBy(deps: ReviewContextDeps, queue: QueueRow): Promise<number> {
  return countRequiredReviews(deps, queue, await assignedTo(deps, queue))
}

async function countRequiredReviews(
  deps: ReviewContextDeps,
  queue: QueueRow,
  assigned: readonly string[] | undefined,
): Promise<number> {
  if (queue.num_reviewers_per_item !== null) return queue.num_reviewers_per_item
  return assigned === undefined ? countWriters(deps, queue.tenant_id) : Math.max(1, assigned.length)
}

/** Undefined where everybody may review. */
async function assignedTo({ relational }: ReviewContextDeps, queue: QueueRow): Promise<string[] | undefined> {
  if (queue.reviewer_access_mode === 'any') return undefined
  return (await selectReviewers(relational.db, [queue.id])).get(queue.id) ?? []
}

type ReviewerDeps = Pick<Deps, 'relational' | 'clock'>

/** @throws ApiError NOT_FOUND for an unknown queue or identity */
export async function assignReviewer(
  deps: ReviewerDeps,
  tenantId: string,
  queueId: string,
  identityId: string,
): Promise<void> {
  await getQueue(deps.relational.db, tenantId, queueId)
  const identities = await findIdentities(deps, tenantId, [identityId])
  if (!identities.has(identityId)) throw new ApiError('NOT_FOUND', 'Identity not found')
  await change(deps, tenantId, queueId, (tx) => insertReviewer(tx, queueId, identityId))
}

/** @throws ApiError NOT_FOUND for an unknown queue; who is not assigned is fine */
export function releaseReviewer(
  deps: ReviewerDeps,
  tenantId: string,
  queueId: string,
  identityId: string,
): Promise<void> {
  return change(deps, tenantId, queueId, (tx) => deleteReviewer(tx, queueId, identityId))
}

/** Where all assigned reviewers complete an item, another number of them completes more or fewer items. */
function change(
  deps: ReviewerDeps,
  tenantId: string,
  queueId: string,
  work: (tx: Database) => Promise<void>,
): Promise<void> {
  return deps.relational.transaction(async (tx) => {
    const queue = await getQueue(tx, tenantId, queueId, 'update')
    await work(tx)
    await settleItems(tx, queue, await requiredBy({ ...deps, relational: withTransaction(deps.relational, tx) }, queue))
  })
}

/**
 * Notes what the caller says of an item. Reviewers of one item take turns on its row, so what one decides the next one
 * sees, whichever server asks.
 *
 * @throws ApiError NOT_FOUND, CONFLICT when others have taken its places, FORBIDDEN for whoever may not review
 */
export async function reviewItem(
  deps: ReviewContextDeps,
  caller: Caller,
  itemId: string,
  update: ReviewUpdate,
): Promise<Review> {
  return deps.relational.transaction(async (tx) => {
    const ofTenant = and(eq(queueItems.tenant_id, caller.tenantId), eq(queueItems.id, itemId))
    const [found] = await tx.select({ queueId: queueItems.queue_id }).from(queueItems).where(ofTenant)
    if (found === undefined) throw unknownItem()
    const context = await lockDesk(deps, tx, caller, found.queueId)
    const [item] = await tx.select().from(queueItems).where(ofTenant).for('update')
    if (item === undefined) throw unknownItem()
    return review(tx, context, item, update)
  })
}

/**
 * Reserves the first item that needs the review of the caller; one that the caller holds is among them, so asking twice
 * gives the same.
 *
 * @returns the id of the item, or undefined when there is none
 */
export async function takeNext(
  deps: ReviewContextDeps,
  caller: Caller,
  queueId: string,
  type?: QueueItemType,
): Promise<string | undefined> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const taken = await deps.relational.transaction(async (tx) => {
      const context = await lockDesk(deps, tx, caller, queueId)
      const item = await lockFirst(tx, context, type)
      if (item !== undefined) await review(tx, context, item, { status: 'viewed' })
      return { itemId: item?.id, context }
    })
    if (taken.itemId !== undefined) return taken.itemId
    // Whoever has the last ones locked may leave them as they were: then they are there for us.
    if (!(await needsMe(deps.relational.db, taken.context, { type }))) return undefined
    await setTimeout(ROUND_MS)
  }
  throw new ApiError('UNAVAILABLE', 'Others are busy with what is left of the queue; try again shortly.')
}

const MAX_ROUNDS = 100
const ROUND_MS = 10

export const unknownItem = () => new ApiError('NOT_FOUND', 'Item of an annotation queue not found')

/** The queue stays as it is until the transaction ends: a review is decided by rules that hold. */
async function lockDesk(
  deps: ReviewContextDeps,
  tx: Database,
  caller: Caller,
  queueId: string,
): Promise<ReviewContext> {
  const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
  return deskAt(inside, caller, await getQueue(tx, caller.tenantId, queueId, 'share'))
}

/** @param item  locked */
async function review(tx: Database, context: ReviewContext, item: QueueItemRow, update: ReviewUpdate): Promise<Review> {
  const reviews = await tx.select().from(queueReviews).where(eq(queueReviews.item_id, item.id))
  const { review: next, completions } = decideReview(context, reviews, update)
  const own = { item_id: item.id, identity_id: context.identityId, ...next }
  await tx
    .insert(queueReviews)
    .values(own)
    .onConflictDoUpdate({ target: [queueReviews.item_id, queueReviews.identity_id], set: next })
  const isArchived = completions >= context.required
  const isNew = next.completed_at === context.now
  if (isArchived !== (item.completed_at !== null) || isNew) {
    const completed_at = isArchived ? (item.completed_at ?? context.now) : null
    const last_reviewed_time = isNew ? context.now : item.last_reviewed_time
    await tx
      .update(queueItems)
      .set({ completed_at, last_reviewed_time })
      .where(and(eq(queueItems.tenant_id, item.tenant_id), eq(queueItems.id, item.id)))
  }
  return {
    queue_item_id: item.id,
    status: update.status ?? null,
    is_archived: isArchived,
    override_added_at: next.override_added_at,
  }
}

/** What a reviewer's word makes of an item. */
interface Decision {
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
function decideReview(context: ReviewContext, reviews: readonly ReviewRow[], update: ReviewUpdate): Decision {
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
