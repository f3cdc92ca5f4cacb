import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import { findIdentities } from '../accounts/auth/index.ts'
import { getQueue } from './get-queue.ts'
import { requiredBy } from './review-context.ts'
import { settleItems } from './settle-items.ts'
import { deleteReviewer, insertReviewer } from './store.ts'

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
