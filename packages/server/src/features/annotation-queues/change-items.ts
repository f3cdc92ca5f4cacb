import type { QueueItemUpdate, QueueRunDeletion } from '@touchstone/contract'
import { and, asc, desc, eq, gt, isNotNull, isNull, not, or, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { unknownItem } from './review-item.ts'

type RemoveDeps = Pick<Deps, 'relational' | 'analytics'>

/** Projects are about to be deleted: their runs and threads wait in no queue any more. @returns how many did */
export async function removeItemsOfProjects(
  tx: Database,
  tenantId: string,
  projectIds: readonly string[],
): Promise<number> {
  const mine = and(eq(queueItems.tenant_id, tenantId), isAnyOf(queueItems.project_id, projectIds))
  return (await tx.delete(queueItems).where(mine).returning({ id: queueItems.id })).length
}

/**
 * Takes runs and threads out of all queues that are no longer there.
 *
 * @param traceIds  traces that were deleted
 * @returns how many were taken out
 */
export async function removeGoneItems(
  deps: RemoveDeps,
  tenantId: string,
  traceIds: readonly string[],
): Promise<number> {
  let removed = 0
  const runs = isAnyOf(queueItems.trace_id, traceIds)
  for await (const items of readBatches(deps, tenantId, runs)) {
    removed += await remove(deps, tenantId, await goneRuns(deps, items))
  }
  for await (const items of readBatches(deps, tenantId, isNull(queueItems.run_id))) {
    removed += await remove(deps, tenantId, await goneThreads(deps, items))
  }
  return removed
}

const BATCH = 2_000

/** Items in the order of their insertion, some at a time. */
async function* readBatches({ relational }: RemoveDeps, tenantId: string, which: SQL): AsyncGenerator<QueueItemRow[]> {
  for (let after = 0; ; ) {
    const items = await relational.db
      .select()
      .from(queueItems)
      .where(and(eq(queueItems.tenant_id, tenantId), which, gt(queueItems.number, after)))
      .orderBy(asc(queueItems.number))
      .limit(BATCH)
    if (items.length > 0) yield items
    if (items.length < BATCH) return
    after = items.at(-1)!.number
  }
}

async function goneRuns({ analytics }: RemoveDeps, items: readonly QueueItemRow[]): Promise<string[]> {
  const rows = await analytics.query<{ id: string }>(sql`
    select id from run_keys final
    where tenant_id = ${uuid(items[0]!.tenant_id)} and id in ${uuids(items.map((item) => item.run_id!))}`)
  const present = new Set(rows.map((row) => row.id))
  return items.filter((item) => !present.has(item.run_id!)).map((item) => item.id)
}

async function goneThreads({ analytics }: RemoveDeps, items: readonly QueueItemRow[]): Promise<string[]> {
  const rows = await analytics.query<{ session_id: string; thread_id: string }>(sql`
    select distinct session_id, thread_id from runs final
    where tenant_id = ${uuid(items[0]!.tenant_id)}
      and session_id in ${uuids([...new Set(items.map((item) => item.project_id))])}
      and thread_id in ${texts(items.map((item) => item.thread_id!))}
      and parent_run_id is null`)
  const present = new Set(rows.map((row) => `${row.session_id} ${row.thread_id}`))
  return items.filter((item) => !present.has(`${item.project_id} ${item.thread_id}`)).map((item) => item.id)
}

async function remove({ relational }: RemoveDeps, tenantId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  await relational.db.delete(queueItems).where(and(eq(queueItems.tenant_id, tenantId), isAnyOf(queueItems.id, ids)))
  return ids.length
}

/** Traces and threads of a project that are in an annotation queue, waiting or done. */
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
  /** Of the item, or of its run: clients send either. */
  readonly id: string
}

/** @throws ApiError NOT_FOUND */
export async function getItem(db: Database, key: ItemKey): Promise<QueueItemRow> {
  const [item] = await db
    .select()
    .from(queueItems)
    .where(and(ofQueue(key), or(eq(queueItems.id, key.id), eq(queueItems.run_id, key.id))))
    .orderBy(desc(eq(queueItems.id, key.id)))
    .limit(1)
  if (item === undefined) throw unknownItem()
  return item
}

/** @throws ApiError NOT_FOUND */
export async function changeItem(db: Database, key: ItemKey, update: QueueItemUpdate): Promise<QueueItemRow> {
  const item = await getItem(db, key)
  const changes = {
    added_at: update.added_at ?? item.added_at,
    last_reviewed_time: update.last_reviewed_time ?? item.last_reviewed_time,
  }
  const isOne = and(ofQueue(key), eq(queueItems.id, item.id))
  const [changed] = await db.update(queueItems).set(changes).where(isOne).returning()
  if (changed === undefined) throw unknownItem()
  return changed
}

/** @returns how many runs were removed */
export async function removeRuns(
  db: Database,
  queue: Omit<ItemKey, 'id'>,
  { run_ids, delete_all, exclude_run_ids }: z.output<typeof QueueRunDeletion>,
): Promise<number> {
  const isOneOf = (ids: readonly string[]) => or(isAnyOf(queueItems.run_id, ids), isAnyOf(queueItems.id, ids))!
  const wanted = delete_all ? undefined : isOneOf(run_ids ?? [])
  const spared = exclude_run_ids?.length ? not(isOneOf(exclude_run_ids)) : undefined
  const rows = await db
    .delete(queueItems)
    .where(and(ofQueue(queue), isNotNull(queueItems.run_id), wanted, spared))
    .returning({ id: queueItems.id })
  return rows.length
}

const ofQueue = ({ tenantId, queueId }: Omit<ItemKey, 'id'>) =>
  and(eq(queueItems.tenant_id, tenantId), eq(queueItems.queue_id, queueId))
