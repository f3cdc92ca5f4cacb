import { isAtLeast } from '@touchstone/contract'
import { and, eq, isNull, or, type SQL, sql as select } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { type Fragment, join, sql, text, texts, uuids } from '../../storage/analytics/sql.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { queueItems, annotationQueues as queues } from '../../storage/relational/tables/annotation-queues.ts'

/** Items that one request hides by their ids; beyond it, everything that was said in the queue is hidden. */
const MAX_ITEMS = 10_000

/**
 * A condition on `run_feedback` that omits what other people said about items that wait for the review of the caller, in
 * queues that hide it. Undefined where nothing is hidden: for viewers, who do not review, and for keys that are not
 * assigned as reviewers, because programs read everything.
 *
 * @param runIds  only feedback on these runs is read; absent: any feedback
 */
export async function whereVisible(
  { relational: { db } }: Pick<Deps, 'relational'>,
  caller: Caller,
  runIds?: readonly string[] | null | undefined,
): Promise<Fragment | undefined> {
  const { actorId } = caller
  // Callers of an open server share one identity, so there are no others.
  if (actorId === undefined || !isAtLeast(caller.role, 'member')) return undefined
  const rows = await db
    .select({ queueId: queueItems.queue_id, runId: queueItems.run_id, threadId: queueItems.thread_id })
    .from(queueItems)
    .innerJoin(queues, eq(queues.id, queueItems.queue_id))
    .where(
      and(
        eq(queues.tenant_id, caller.tenantId),
        eq(queueItems.tenant_id, caller.tenantId),
        queues.hide_others_scores,
        isReviewer(caller.kind, actorId),
        isNull(queueItems.completed_at),
        select`not exists (select 1 from annotation_queue_reviews as review
          where review.item_id = ${queueItems.id} and review.identity_id = ${actorId}::uuid
            and review.completed_at is not null)`,
        runIds ? or(isAnyOf(queueItems.run_id, runIds), isNull(queueItems.run_id)) : undefined,
      ),
    )
    .limit(MAX_ITEMS + 1)
  if (rows.length === 0) return undefined
  const waitingRuns = rows.flatMap(({ runId }) => runId ?? [])
  const waitingThreads = rows.flatMap(({ threadId }) => threadId ?? [])
  const hidden = [
    ...(waitingRuns.length > 0 ? [sql`run_id in ${uuids(waitingRuns)}`] : []),
    ...(waitingThreads.length > 0 ? [sql`feedback_thread_id in ${texts(waitingThreads)}`] : []),
    ...(rows.length > MAX_ITEMS ? [saidInQueues(rows.map(({ queueId }) => queueId))] : []),
  ]
  return sql`not (source_type = 'app' and JSONExtractString(feedback_source, 'user_id') != ${text(actorId)}
        and (${join(hidden, ' or ')}))`
}

/** A person who may review the queue, or a key that is assigned to it. */
function isReviewer(kind: Caller['kind'], identityId: string): SQL {
  const isAssigned = select`exists (select 1 from annotation_queue_reviewers as reviewer
    where reviewer.queue_id = ${queues.id} and reviewer.identity_id = ${identityId}::uuid)`
  return kind === 'person' ? select`(${queues.reviewer_access_mode} = 'any' or ${isAssigned})` : isAssigned
}

function saidInQueues(ids: readonly string[]): Fragment {
  return sql`JSONExtractString(feedback_source, 'metadata', 'annotation_queue_id') in ${texts([...new Set(ids)])}`
}
