import { type AnnotationQueueListQuery, ApiError } from '@touchstone/contract'
import { and, asc, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import {
  type QueueRow,
  queueItems,
  queueReviewers,
  annotationQueues as queues,
} from '../../storage/relational/tables/annotation-queues.ts'

export interface ListedQueueRow {
  readonly queue: QueueRow
  /** Runs that are not completed. */
  readonly totalRuns: number
}

/** @returns false when the id is taken */
export async function insertQueue(db: Database, row: QueueRow): Promise<boolean> {
  const inserted = await db.insert(queues).values(row).onConflictDoNothing().returning({ id: queues.id })
  return inserted.length > 0
}

/** @param lock  until the transaction ends: `share` prevents changes, `update` is exclusive */
export async function selectQueue(
  db: Database,
  tenantId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<QueueRow | undefined> {
  const query = db.select().from(queues).where(whereQueue(tenantId, id))
  const [row] = await (lock === undefined ? query : query.for(lock))
  return row
}

export async function updateQueue(
  tx: Database,
  tenantId: string,
  id: string,
  changes: Partial<QueueRow>,
): Promise<QueueRow | undefined> {
  const [row] = await tx.update(queues).set(changes).where(whereQueue(tenantId, id)).returning()
  return row
}

/** @returns ids of the deleted queues */
export async function deleteQueues(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .delete(queues)
    .where(and(eq(queues.tenant_id, tenantId), isAnyOf(queues.id, ids)))
    .returning({ id: queues.id })
  return rows.map((row) => row.id)
}

/** @param reviewer  for `assigned_to_me` */
export async function selectQueues(
  db: Database,
  tenantId: string,
  query: AnnotationQueueListQuery,
  reviewer: string,
): Promise<ListedQueueRow[]> {
  const waiting = db
    .select({ queue_id: queueItems.queue_id, n: count().as('n') })
    .from(queueItems)
    .where(and(eq(queueItems.tenant_id, tenantId), isNull(queueItems.completed_at), isNotNull(queueItems.run_id)))
    .groupBy(queueItems.queue_id)
    .as('waiting')
  const totalRuns = sql<number>`coalesce(${waiting.n}, 0)::int`
  const direction = query.sort_by_desc ? desc : asc
  const sortedBy = {
    created_at: queues.created_at,
    updated_at: queues.updated_at,
    name: queues.name,
    total_runs: totalRuns,
  }[query.sort_by]
  return db
    .select({ queue: getTableColumns(queues), totalRuns })
    .from(queues)
    .leftJoin(waiting, eq(waiting.queue_id, queues.id))
    .where(matches(tenantId, query, reviewer))
    .orderBy(direction(sortedBy), direction(queues.id))
    .offset(query.offset)
    .limit(query.limit)
}

/** Queues that contain a run, newest first. */
export function selectQueuesOfRun(db: Database, tenantId: string, runId: string): Promise<QueueRow[]> {
  const holding = db
    .select({ id: queueItems.queue_id })
    .from(queueItems)
    .where(and(eq(queueItems.tenant_id, tenantId), eq(queueItems.run_id, runId)))
  return db
    .select()
    .from(queues)
    .where(and(eq(queues.tenant_id, tenantId), inArray(queues.id, holding)))
    .orderBy(desc(queues.created_at), desc(queues.id))
}

/** Assigned reviewers by queue; queues without any are absent. */
export async function selectReviewers(db: Database, queueIds: readonly string[]): Promise<Map<string, string[]>> {
  if (queueIds.length === 0) return new Map()
  const rows = await db
    .select()
    .from(queueReviewers)
    .where(isAnyOf(queueReviewers.queue_id, queueIds))
    .orderBy(queueReviewers.identity_id)
  const reviewers = new Map<string, string[]>()
  for (const { queue_id, identity_id } of rows) {
    const others = reviewers.get(queue_id)
    if (others === undefined) reviewers.set(queue_id, [identity_id])
    else others.push(identity_id)
  }
  return reviewers
}

export async function insertReviewer(tx: Database, queueId: string, identityId: string): Promise<void> {
  await tx.insert(queueReviewers).values({ queue_id: queueId, identity_id: identityId }).onConflictDoNothing()
}

export async function deleteReviewer(tx: Database, queueId: string, identityId: string): Promise<void> {
  await tx
    .delete(queueReviewers)
    .where(and(eq(queueReviewers.queue_id, queueId), eq(queueReviewers.identity_id, identityId)))
}

function matches(tenantId: string, query: AnnotationQueueListQuery, reviewer: string): SQL | undefined {
  const { ids, name, name_contains: part, dataset_id, queue_type, assigned_to_me } = query
  return and(
    eq(queues.tenant_id, tenantId),
    ids && isAnyOf(queues.id, ids),
    name === undefined ? undefined : eq(queues.name, name),
    part ? containsText(queues.name, part) : undefined,
    dataset_id ? eq(queues.default_dataset, dataset_id) : undefined,
    queue_type ? eq(queues.queue_type, queue_type) : undefined,
    assigned_to_me
      ? sql`exists (select 1 from ${queueReviewers} where ${queueReviewers.queue_id} = ${queues.id}
          and ${queueReviewers.identity_id} = ${reviewer}::uuid)`
      : undefined,
  )
}

const whereQueue = (tenantId: string, id: string) => and(eq(queues.tenant_id, tenantId), eq(queues.id, id))

/**
 * The queue of an id.
 *
 * @param lock  until the transaction ends: `share` prevents changes, `update` is exclusive
 * @throws ApiError NOT_FOUND
 */
export async function getQueue(
  db: Database,
  tenantId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<QueueRow> {
  const row = await selectQueue(db, tenantId, id, lock)
  if (row === undefined) throw queueNotFound()
  return row
}

export const queueNotFound = () => new ApiError('NOT_FOUND', 'Annotation queue not found')

/**
 * Completes the items that have enough reviews and reopens the others, after the number of required reviews changed.
 *
 * @param queue  locked
 */
export async function settleItems(tx: Database, queue: QueueRow, required: number): Promise<void> {
  await tx.execute(sql`
    update annotation_queue_items as item
    set completed_at = case when done.completions >= ${required}::int then done.last_at end
    from (
      select item_id, count(completed_at) as completions, max(completed_at) as last_at
      from annotation_queue_reviews
      where item_id in (select id from annotation_queue_items where queue_id = ${queue.id})
      group by item_id
    ) as done
    where item.id = done.item_id and item.queue_id = ${queue.id} and item.tenant_id = ${queue.tenant_id}
      and (item.completed_at is not null) <> (done.completions >= ${required}::int)`)
}
