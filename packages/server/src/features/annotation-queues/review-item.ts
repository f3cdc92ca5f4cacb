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
import type { Caller } from '../../http/serve.ts'
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

/** A queue from the view of one reviewer, at one time. */
export interface ReviewContext {
  readonly queue: QueueRow
  readonly identityId: string
  readonly mayReview: boolean
  /** Number of reviews that complete an item. */
  readonly required: number
  readonly now: string
}

/** @throws ApiError NOT_FOUND */
export async function openReviewContext(
  deps: ReviewContextDeps,
  caller: Caller,
  queueId: string,
): Promise<ReviewContext> {
  return createReviewContext(deps, caller, await getQueue(deps.relational.db, caller.tenantId, queueId))
}

async function createReviewContext(deps: ReviewContextDeps, caller: Caller, queue: QueueRow): Promise<ReviewContext> {
  const identityId = toIdentityId(caller)
  const assigned = await selectAssigned(deps, queue)
  const mayReview = isAtLeast(caller.role, 'member') && (assigned === undefined || assigned.includes(identityId))
  return {
    queue,
    identityId,
    mayReview,
    required: await countRequiredReviews(deps, queue, assigned),
    now: timeOfEpochMs(deps.clock()),
  }
}

/** Number of reviews that complete an item: the number of the queue, or the number of all possible reviewers. */
export async function readRequiredReviews(deps: ReviewContextDeps, queue: QueueRow): Promise<number> {
  return countRequiredReviews(deps, queue, await selectAssigned(deps, queue))
}

async function countRequiredReviews(
  deps: ReviewContextDeps,
  queue: QueueRow,
  assigned: readonly string[] | undefined,
): Promise<number> {
  if (queue.num_reviewers_per_item !== null) return queue.num_reviewers_per_item
  return assigned === undefined ? countWriters(deps, queue.tenant_id) : Math.max(1, assigned.length)
}

/** Undefined when all members may review. */
async function selectAssigned({ relational }: ReviewContextDeps, queue: QueueRow): Promise<string[] | undefined> {
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
  await changeReviewers(deps, tenantId, queueId, (tx) => insertReviewer(tx, queueId, identityId))
}

/** Does nothing for an identity that is not assigned. @throws ApiError NOT_FOUND for an unknown queue */
export function releaseReviewer(
  deps: ReviewerDeps,
  tenantId: string,
  queueId: string,
  identityId: string,
): Promise<void> {
  return changeReviewers(deps, tenantId, queueId, (tx) => deleteReviewer(tx, queueId, identityId))
}

/** Changes the reviewers, then completes or reopens items, because the number of required reviews may change. */
function changeReviewers(
  deps: ReviewerDeps,
  tenantId: string,
  queueId: string,
  work: (tx: Database) => Promise<void>,
): Promise<void> {
  return deps.relational.transaction(async (tx) => {
    const queue = await getQueue(tx, tenantId, queueId, 'update')
    await work(tx)
    await settleItems(
      tx,
      queue,
      await readRequiredReviews({ ...deps, relational: withTransaction(deps.relational, tx) }, queue),
    )
  })
}

/**
 * Stores the review of the caller. The row of the item is locked, so reviewers of the same item are serialized, also
 * between servers.
 *
 * @throws ApiError NOT_FOUND, CONFLICT when enough others review it, FORBIDDEN for callers who may not review
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
    if (found === undefined) throw itemNotFound()
    const context = await lockReviewContext(deps, tx, caller, found.queueId)
    const [item] = await tx.select().from(queueItems).where(ofTenant).for('update')
    if (item === undefined) throw itemNotFound()
    return review(tx, context, item, update)
  })
}

/**
 * Reserves the first item that needs the review of the caller. It may be one that the caller already holds, so a second
 * call returns the same item.
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
      const context = await lockReviewContext(deps, tx, caller, queueId)
      const item = await lockFirst(tx, context, type)
      if (item !== undefined) await review(tx, context, item, { status: 'viewed' })
      return { itemId: item?.id, context }
    })
    if (taken.itemId !== undefined) return taken.itemId
    // Another transaction that locks the last items may end without a review; then they are free again.
    if (!(await needsMe(deps.relational.db, taken.context, { type }))) return undefined
    await setTimeout(ROUND_MS)
  }
  throw new ApiError('UNAVAILABLE', 'Other reviewers are taking the remaining items of the queue. Try again shortly.')
}

const MAX_ROUNDS = 100
const ROUND_MS = 10

export const itemNotFound = () => new ApiError('NOT_FOUND', 'Item of an annotation queue not found')

/** Locks the queue until the transaction ends, so that its rules do not change during the review. */
async function lockReviewContext(
  deps: ReviewContextDeps,
  tx: Database,
  caller: Caller,
  queueId: string,
): Promise<ReviewContext> {
  const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
  return createReviewContext(inside, caller, await getQueue(tx, caller.tenantId, queueId, 'share'))
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

/** The outcome of a review. */
interface Decision {
  readonly review: Omit<ReviewRow, 'item_id' | 'identity_id'>
  /** Number of reviewers who have completed the item after it. */
  readonly completions: number
}

/**
 * Decides a review. Never more reviewers complete or hold an item than its queue requires.
 *
 * @param reviews  of the item, which must be locked
 * @throws ApiError CONFLICT when enough others review it, FORBIDDEN for callers who may not review
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
  if (!context.mayReview) throw new ApiError('FORBIDDEN', 'Only assigned reviewers can review this queue.')
  if (own?.completed_at) return { review: { ...own, override_added_at }, completions: doneByOthers + 1 }
  if (doneByOthers >= required) {
    if (update.status === 'completed') throw new ApiError('CONFLICT', 'Enough reviewers have completed this item.')
    return { review: { reserved_until: null, completed_at: null, override_added_at }, completions: doneByOthers }
  }
  if (doneByOthers + held.length >= required) {
    const until = held
      .flatMap((review) => review.reserved_until ?? [])
      .sort()
      .at(0)
    throw new ApiError('CONFLICT', `The item is reserved by another reviewer until ${until}.`)
  }
  if (update.status === 'completed') {
    return { review: { reserved_until: null, completed_at: now, override_added_at }, completions: doneByOthers + 1 }
  }
  const reserved_until = queue.enable_reservations ? addMinutes(now, queue.reservation_minutes) : null
  return { review: { reserved_until, completed_at: null, override_added_at }, completions: doneByOthers }
}

function isHeld({ queue, now }: ReviewContext, { reserved_until }: ReviewRow): boolean {
  return queue.enable_reservations && reserved_until !== null && reserved_until > now
}

const addMinutes = (time: string, minutes: number) => timeOfMicros(microsOf(time) + BigInt(minutes) * 60_000_000n)
