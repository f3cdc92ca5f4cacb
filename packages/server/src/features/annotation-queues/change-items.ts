import type { QueueItemUpdate, QueueRunDeletion } from '@touchstone/contract'
import { and, asc, desc, eq, gt, isNotNull, isNull, not, or, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { columns, ID_ROW, text } from '../../storage/rows.ts'
import { itemNotFound } from './review-item.ts'

type RemoveDeps = Pick<Deps, 'relational' | 'analytics'>

/** Removes the items of projects that are about to be deleted. @returns the number of removed items */
export async function removeItemsOfProjects(
  tx: Database,
  tenantId: string,
  projectIds: readonly string[],
): Promise<number> {
  const inProjects = and(eq(queueItems.tenant_id, tenantId), isAnyOf(queueItems.project_id, projectIds))
  return (await tx.delete(queueItems).where(inProjects).returning({ id: queueItems.id })).length
}

/**
 * Removes the items of deleted runs and threads from all queues.
 *
 * @param traceIds  deleted traces
 * @returns the number of removed items
 */
export async function removeGoneItems(
  deps: RemoveDeps,
  tenantId: string,
  traceIds: readonly string[],
): Promise<number> {
  let removed = 0
  const runs = isAnyOf(queueItems.trace_id, traceIds)
  for await (const items of readBatches(deps, tenantId, runs)) {
    removed += await remove(deps, tenantId, await findGoneRuns(deps, tenantId, items))
  }
  for await (const items of readBatches(deps, tenantId, isNull(queueItems.run_id))) {
    removed += await remove(deps, tenantId, await findGoneThreads(deps, tenantId, items))
  }
  return removed
}

const BATCH = 2_000

/** Yields items in the order of their insertion, in batches. */
async function* readBatches({ relational }: RemoveDeps, tenantId: string, which: SQL): AsyncGenerator<QueueItemRow[]> {
  for (let after = 0; ; ) {
    const items = await relational.db
      .select()
      .from(queueItems)
      .where(and(eq(queueItems.tenant_id, tenantId), which, gt(queueItems.number, after)))
      .orderBy(asc(queueItems.number))
      .limit(BATCH)
    const last = items.at(-1)
    if (last !== undefined) yield items
    if (last === undefined || items.length < BATCH) return
    after = last.number
  }
}

/** Ids of the items whose run does not exist. */
async function findGoneRuns(
  { analytics }: RemoveDeps,
  tenantId: string,
  items: readonly QueueItemRow[],
): Promise<string[]> {
  const rows = await analytics.query(
    sql`
      select id from run_keys final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(items.flatMap((item) => item.run_id ?? []))}`,
    ID_ROW,
  )
  const present = new Set(rows.map((row) => row.id))
  return items.filter((item) => item.run_id === null || !present.has(item.run_id)).map((item) => item.id)
}

/** Ids of the items whose thread does not exist. */
async function findGoneThreads(
  { analytics }: RemoveDeps,
  tenantId: string,
  items: readonly QueueItemRow[],
): Promise<string[]> {
  const rows = await analytics.query(
    sql`
      select distinct session_id, thread_id from runs final
      where tenant_id = ${uuid(tenantId)}
        and session_id in ${uuids([...new Set(items.map((item) => item.project_id))])}
        and thread_id in ${texts(items.flatMap((item) => item.thread_id ?? []))}
        and parent_run_id is null`,
    columns({ session_id: text, thread_id: text }),
  )
  const present = new Set(rows.map((row) => `${row.session_id} ${row.thread_id}`))
  return items.filter((item) => !present.has(`${item.project_id} ${item.thread_id}`)).map((item) => item.id)
}

async function remove({ relational }: RemoveDeps, tenantId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  await relational.db.delete(queueItems).where(and(eq(queueItems.tenant_id, tenantId), isAnyOf(queueItems.id, ids)))
  return ids.length
}

/** Traces and threads of a project that are in an annotation queue, also completed ones. */
export async function selectQueuedItems(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  projectId: string,
): Promise<{ traceIds: string[]; threadIds: string[] }> {
  const rows = await relational.db
    .select({ trace: queueItems.trace_id, thread: queueItems.thread_id })
    .from(queueItems)
    .where(and(eq(queueItems.tenant_id, tenantId), eq(queueItems.project_id, projectId)))
  const isText = (text: string | null) => text !== null
  return {
    traceIds: [...new Set(rows.map((row) => row.trace).filter(isText))],
    threadIds: [...new Set(rows.map((row) => row.thread).filter(isText))],
  }
}

interface ItemKey {
  readonly tenantId: string
  readonly queueId: string
  /** The id of the item or of its run; clients send either. */
  readonly id: string
}

/** @throws ApiError NOT_FOUND */
export async function getItem(db: Database, key: ItemKey): Promise<QueueItemRow> {
  const [item] = await db
    .select()
    .from(queueItems)
    .where(and(whereQueue(key), or(eq(queueItems.id, key.id), eq(queueItems.run_id, key.id))))
    .orderBy(desc(eq(queueItems.id, key.id)))
    .limit(1)
  if (item === undefined) throw itemNotFound()
  return item
}

/** @throws ApiError NOT_FOUND */
export async function changeItem(db: Database, key: ItemKey, update: QueueItemUpdate): Promise<QueueItemRow> {
  const item = await getItem(db, key)
  const changes = {
    added_at: update.added_at ?? item.added_at,
    last_reviewed_time: update.last_reviewed_time ?? item.last_reviewed_time,
  }
  const isOne = and(whereQueue(key), eq(queueItems.id, item.id))
  const [changed] = await db.update(queueItems).set(changes).where(isOne).returning()
  if (changed === undefined) throw itemNotFound()
  return changed
}

/** @returns the number of removed runs */
export async function removeRuns(
  db: Database,
  queue: Omit<ItemKey, 'id'>,
  { run_ids, delete_all, exclude_run_ids }: z.output<typeof QueueRunDeletion>,
): Promise<number> {
  const matchesIds = (ids: readonly string[]) => or(isAnyOf(queueItems.run_id, ids), isAnyOf(queueItems.id, ids))
  const removed = delete_all ? undefined : matchesIds(run_ids ?? [])
  const kept = exclude_run_ids?.length ? matchesIds(exclude_run_ids) : undefined
  const rows = await db
    .delete(queueItems)
    .where(and(whereQueue(queue), isNotNull(queueItems.run_id), removed, kept && not(kept)))
    .returning({ id: queueItems.id })
  return rows.length
}

const whereQueue = ({ tenantId, queueId }: Omit<ItemKey, 'id'>) =>
  and(eq(queueItems.tenant_id, tenantId), eq(queueItems.queue_id, queueId))
