import { ApiError, MAX_QUEUES_OF_PROGRESS, type QueueProgress } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Database } from '../../storage/relational/port.ts'
import { queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { inSection, isMine, matches, mine } from './read-items.ts'
import { openReviewContext, type ReviewContext } from './review-item.ts'

/**
 * The progress of queues for the caller, in the order of the ids.
 *
 * @throws ApiError INVALID_REQUEST for no ids or too many, NOT_FOUND for an unknown queue
 */
export async function readProgress(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  queueIds: readonly string[],
): Promise<QueueProgress[]> {
  if (queueIds.length === 0 || queueIds.length > MAX_QUEUES_OF_PROGRESS) {
    throw new ApiError('INVALID_REQUEST', `Name 1 to ${MAX_QUEUES_OF_PROGRESS} queues by ids.`)
  }
  return Promise.all(
    queueIds.map(async (id) => countSections(deps.relational.db, await openReviewContext(deps, caller, id))),
  )
}

async function countSections(db: Database, context: ReviewContext): Promise<QueueProgress> {
  const countWhere = (condition: ReturnType<typeof inSection>) =>
    sql<number>`count(*) filter (where ${condition})`.mapWith(Number)
  const [row] = await db
    .select({
      needs_my_review: countWhere(inSection(context, 'needs_my_review')),
      needs_others_review: countWhere(inSection(context, 'needs_others_review')),
      completed: countWhere(inSection(context, 'completed')),
      completed_by_me: sql<number>`count(${mine.completed_at})`.mapWith(Number),
      reserved: countWhere(isReserved(context)),
      last_reviewed_time: sql<string | null>`max(${queueItems.last_reviewed_time})`.mapWith(
        queueItems.last_reviewed_time,
      ),
    })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(matches(context, {}))
  if (row === undefined) throw new Error('A count has no row.')
  return { queue_id: context.queue.id, ...row }
}

function isReserved({ queue, now }: ReviewContext) {
  if (!queue.enable_reservations) return sql`false`
  return sql`exists (
    select 1 from annotation_queue_reviews as holder
    where holder.item_id = ${queueItems.id} and holder.completed_at is null
      and holder.reserved_until > ${now}::timestamptz)`
}
