import { ApiError, isAtLeast, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import type { QueueRow } from '../../storage/relational/tables/annotation-queues.ts'
import { countWriters, findIdentities, toIdentityId } from '../accounts/auth/index.ts'
import { deleteReviewer, getQueue, insertReviewer, selectReviewers, settleItems } from './store.ts'

export type ReviewContextDeps = Pick<Deps, 'relational' | 'clock'>

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

export async function deskAt(deps: ReviewContextDeps, caller: Caller, queue: QueueRow): Promise<ReviewContext> {
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
