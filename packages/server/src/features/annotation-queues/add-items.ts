import { ApiError, isStorable, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { appendTo } from '../../append-to.ts'
import type { Deps } from '../../deps.ts'
import { printedTime } from '../../storage/analytics/sql.ts'
import { isAnyOf, textColumn } from '../../storage/relational/columns.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import { keepStatistics } from '../../storage/relational/store-memory.ts'
import type { QueueItemRow } from '../../storage/relational/tables/annotation-queues.ts'
import { queueItems } from '../../storage/relational/tables/annotation-queues.ts'
import { ID_ROW } from '../../storage/rows.ts'
import { selectRunKeys } from '../feedback/index.ts'
import { selectThreadStarts } from '../threads/index.ts'
import { getQueue } from './store.ts'

export type AddDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

/** A run or a thread to add to a queue. */
export type Addition = {
  readonly sourceProposedExampleId?: string | null | undefined
} & ({ readonly runId: string } | { readonly threadId: string; readonly projectId: string })

/** The location of a run or a thread. */
export interface Found {
  readonly runId: string | null
  readonly traceId: string | null
  readonly threadId: string | null
  readonly projectId: string
  readonly startTime: string
  readonly sourceProposedExampleId: string | null
}

/**
 * Adds runs and threads to a queue, all or none. Items that are already in the queue do not change.
 *
 * @returns an item for each addition, in the given order, without duplicates
 * @throws ApiError NOT_FOUND for an unknown queue, run or thread
 */
export async function addItems(
  deps: AddDeps,
  tenantId: string,
  queueId: string,
  additions: readonly Addition[],
): Promise<QueueItemRow[]> {
  await getQueue(deps.relational.db, tenantId, queueId)
  const found = await findAll(deps, tenantId, additions)
  const added = await insertItems(deps, tenantId, queueId, found)
  try {
    // A run that is deleted at the same time may have been removed from the queues before it was added.
    await findAll(deps, tenantId, additions)
  } catch (error) {
    await removeItems(deps.relational.db, tenantId, queueId, added)
    throw error
  }
  return selectAdded(deps.relational.db, tenantId, queueId, found)
}

const BATCH = 2_000

/**
 * Inserts items. Items that are already in the queue do not change.
 *
 * @returns ids of the new items
 */
export async function insertItems(
  deps: AddDeps,
  tenantId: string,
  queueId: string,
  found: readonly Found[],
): Promise<string[]> {
  const added = await deps.relational.transaction(async (tx) => {
    await getQueue(tx, tenantId, queueId, 'share')
    const ids: string[] = []
    for (const batch of splitIntoBatches(found)) ids.push(...(await insertBatch(deps, tx, tenantId, queueId, batch)))
    return ids
  })
  await keepStatistics(deps.relational, ['annotation_queue_items', 'annotation_queue_reviews'], added.length)
  return added
}

async function insertBatch(
  deps: AddDeps,
  tx: Database,
  tenantId: string,
  queueId: string,
  found: readonly Found[],
): Promise<string[]> {
  const column = (value: (one: Found) => string | null) => textColumn(found.map(value))
  const result = await tx.execute(sql`
    insert into annotation_queue_items (
      tenant_id, queue_id, added_at, id, run_id, trace_id, thread_id, project_id, start_time, source_proposed_example_id)
    select ${tenantId}::uuid, ${queueId}::uuid, ${timeOfEpochMs(deps.clock())}::timestamptz, id::uuid, run_id::uuid,
      trace_id::uuid, thread_id::json #>> '{}', project_id::uuid, start_time::timestamptz, example_id::uuid
    from unnest(
      ${column(() => deps.ids())},
      ${column(({ runId }) => runId)},
      ${column(({ traceId }) => traceId)},
      ${column(({ threadId }) => threadId && JSON.stringify(threadId))},
      ${column(({ projectId }) => projectId)},
      ${column(({ startTime }) => startTime)},
      ${column(({ sourceProposedExampleId }) => sourceProposedExampleId)}
    ) with ordinality as given (id, run_id, trace_id, thread_id, project_id, start_time, example_id, position)
    order by position
    on conflict do nothing
    returning id`)
  return toRows(result, ID_ROW).map((row) => row.id)
}

export async function removeItems(
  db: Database,
  tenantId: string,
  queueId: string,
  ids: readonly string[],
): Promise<number> {
  const rows = await db
    .delete(queueItems)
    .where(and(eq(queueItems.tenant_id, tenantId), eq(queueItems.queue_id, queueId), isAnyOf(queueItems.id, ids)))
    .returning({ id: queueItems.id })
  return rows.length
}

async function selectAdded(
  db: Database,
  tenantId: string,
  queueId: string,
  found: readonly Found[],
): Promise<QueueItemRow[]> {
  const items = new Map<string, QueueItemRow>()
  for (const batch of splitIntoBatches(found)) {
    const runIds = batch.flatMap(({ runId }) => runId ?? [])
    const threadIds = batch.flatMap(({ threadId }) => threadId ?? [])
    const rows = await db
      .select()
      .from(queueItems)
      .where(
        and(
          eq(queueItems.tenant_id, tenantId),
          eq(queueItems.queue_id, queueId),
          or(
            isAnyOf(queueItems.run_id, runIds),
            threadIds.length > 0 ? inArray(queueItems.thread_id, threadIds) : undefined,
          ),
        ),
      )
    for (const row of rows) items.set(toItemKey(row.run_id, row.project_id, row.thread_id), row)
  }
  const keys = new Set(found.map(({ runId, projectId, threadId }) => toItemKey(runId, projectId, threadId)))
  return [...keys].flatMap((key) => items.get(key) ?? []) // an item may be removed in the meantime
}

const toItemKey = (runId: string | null, projectId: string, threadId: string | null) =>
  runId ?? `${projectId} ${threadId}`

/** @throws ApiError NOT_FOUND with the first unknown run or thread */
async function findAll(deps: AddDeps, tenantId: string, additions: readonly Addition[]): Promise<Found[]> {
  const runs = await findRuns(
    deps,
    tenantId,
    additions.flatMap((one) => ('runId' in one ? one.runId : [])),
  )
  const threads = await selectThreads(deps, tenantId, additions)
  return additions.map((one) => {
    const sourceProposedExampleId = one.sourceProposedExampleId ?? null
    if ('runId' in one) {
      const run = runs.get(one.runId)
      if (run === undefined) throw new ApiError('NOT_FOUND', `Run not found: ${one.runId}`)
      return { ...run, sourceProposedExampleId }
    }
    const { threadId, projectId } = one
    const startTime = threads.get(projectId)?.get(threadId)
    if (startTime === undefined) throw new ApiError('NOT_FOUND', `Thread not found: ${threadId}`)
    return { runId: null, traceId: null, threadId, projectId, startTime, sourceProposedExampleId }
  })
}

type FoundRun = Omit<Found, 'sourceProposedExampleId'>

/** By the given id, which may be that of a span. */
async function findRuns(deps: AddDeps, tenantId: string, ids: readonly string[]): Promise<Map<string, FoundRun>> {
  const found = new Map<string, FoundRun>()
  for (const batch of splitIntoBatches(ids)) {
    for (const [id, row] of await selectRunKeys(deps, tenantId, batch)) {
      const startTime = printedTime(row.start_time)
      const location = { traceId: row.trace_id, threadId: null, projectId: row.session_id, startTime }
      found.set(id, { runId: row.id, ...location })
    }
  }
  return found
}

/** Project → thread → start time. */
async function selectThreads(
  deps: AddDeps,
  tenantId: string,
  additions: readonly Addition[],
): Promise<Map<string, Map<string, string>>> {
  const wanted = new Map<string, string[]>()
  for (const one of additions) {
    if (!('threadId' in one) || !isStorable(one.threadId)) continue
    appendTo(wanted, one.projectId, one.threadId)
  }
  const found = new Map<string, Map<string, string>>()
  for (const [projectId, threadIds] of wanted) {
    found.set(projectId, await selectThreadStarts(deps, tenantId, projectId, threadIds))
  }
  return found
}

function* splitIntoBatches<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH)
}
