import { randomUUID } from 'node:crypto'
import { ApiError, parseUuid, timeOfEpochMs } from '@touchstone/contract'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import {
  type DatasetShareRow,
  datasetShares,
  type RunShareRow,
  runShares,
  type ThreadShareRow,
  threadShares,
} from '../../storage/relational/tables/sharing.ts'

type ShareDeps = Pick<Deps, 'relational' | 'clock'>

export interface SharedRun {
  readonly id: string
  readonly trace_id: string
  readonly session_id: string
}

/** A thread of a project; its id is any text. */
export interface ThreadKey {
  readonly projectId: string
  readonly threadId: string
}

/**
 * Shares a run and returns its token. A shared run keeps its first token, so that distributed links stay valid. The
 * proposed token is used if it is an unused random UUID; otherwise a new one is made. The token alone protects the run
 * from the public, so it must not be guessable.
 */
export async function shareRun(
  { relational, clock }: ShareDeps,
  tenantId: string,
  run: SharedRun,
  proposed: string | null | undefined,
): Promise<string> {
  const { db } = relational
  for (const token of [toRandomToken(proposed) ?? randomUUID(), randomUUID(), randomUUID()]) {
    const [existing] = await selectRunShares(db, tenantId, [run.id])
    if (existing !== undefined) return existing.share_token
    const [inserted] = await db
      .insert(runShares)
      .values({
        tenant_id: tenantId,
        run_id: run.id,
        trace_id: run.trace_id,
        session_id: run.session_id,
        share_token: token,
        created_at: timeOfEpochMs(clock()),
      })
      .onConflictDoNothing()
      .returning()
    // Otherwise the token is in use, or another request has shared the run: look it up again.
    if (inserted !== undefined) return inserted.share_token
  }
  throw new ApiError('UNAVAILABLE', 'The run is shared and unshared faster than its token can be read.')
}

/** A UUID of version 4, or undefined: other versions derive from times and names. */
function toRandomToken(text: string | null | undefined): string | undefined {
  const token = parseUuid(text)
  return token !== undefined && /^.{14}4.{4}[89ab]/.test(token) ? token : undefined
}

/**
 * Shares of a workspace, newest first.
 *
 * @param runIds  @default all runs
 */
export function selectRunShares(db: Database, tenantId: string, runIds?: readonly string[]): Promise<RunShareRow[]> {
  return db
    .select()
    .from(runShares)
    .where(and(eq(runShares.tenant_id, tenantId), runIds && inArray(runShares.run_id, [...runIds])))
    .orderBy(desc(runShares.created_at), desc(runShares.run_id))
}

/** Ids of the traces of a project that have a shared run. */
export async function selectSharedTraceIds(db: Database, tenantId: string, projectId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: runShares.trace_id })
    .from(runShares)
    .where(and(eq(runShares.tenant_id, tenantId), eq(runShares.session_id, projectId)))
  return rows.map(({ id }) => id)
}

/**
 * Shares a dataset. A shared dataset keeps its token, so that distributed links stay valid.
 *
 * @param sharesProjects  whether its experiments are public too; undefined keeps the setting, which starts as false
 */
export async function shareDataset(
  { relational, clock }: ShareDeps,
  tenantId: string,
  datasetId: string,
  sharesProjects: boolean | undefined,
): Promise<DatasetShareRow> {
  const row = {
    dataset_id: datasetId,
    tenant_id: tenantId,
    share_token: randomUUID(), // must not be guessable: it alone protects the dataset from the public
    shares_projects: sharesProjects ?? false,
    created_at: timeOfEpochMs(clock()),
  }
  const [stored = row] = await relational.db
    .insert(datasetShares)
    .values(row)
    .onConflictDoUpdate({
      target: datasetShares.dataset_id,
      set: sharesProjects === undefined ? { dataset_id: datasetId } : { shares_projects: sharesProjects },
    })
    .returning()
  return stored
}

export async function selectDatasetShare(
  db: Database,
  tenantId: string,
  datasetId: string,
): Promise<DatasetShareRow | undefined> {
  const [row] = await db
    .select()
    .from(datasetShares)
    .where(and(eq(datasetShares.tenant_id, tenantId), eq(datasetShares.dataset_id, datasetId)))
  return row
}

/** Every shared dataset of a workspace, newest first. */
export function selectDatasetShares(db: Database, tenantId: string): Promise<DatasetShareRow[]> {
  return db
    .select()
    .from(datasetShares)
    .where(eq(datasetShares.tenant_id, tenantId))
    .orderBy(desc(datasetShares.created_at), desc(datasetShares.dataset_id))
}

/** Shares a thread and returns its token. A shared thread keeps its token, so that distributed links stay valid. */
export async function insertThreadShare(
  { relational, clock }: ShareDeps,
  tenantId: string,
  { projectId, threadId }: ThreadKey,
): Promise<string> {
  const row = {
    tenant_id: tenantId,
    session_id: projectId,
    thread_id: threadId,
    share_token: randomUUID(), // must not be guessable: it alone protects the thread from the public
    created_at: timeOfEpochMs(clock()),
  }
  const [stored = row] = await relational.db
    .insert(threadShares)
    .values(row)
    .onConflictDoUpdate({
      target: [threadShares.tenant_id, threadShares.session_id, threadShares.thread_id],
      set: { thread_id: threadId },
    })
    .returning()
  return stored.share_token
}

export async function selectThreadToken(db: Database, tenantId: string, key: ThreadKey): Promise<string | undefined> {
  const [row] = await db.select().from(threadShares).where(isThread(tenantId, key))
  return row?.share_token
}

export async function deleteThreadShare(db: Database, tenantId: string, key: ThreadKey): Promise<void> {
  await db.delete(threadShares).where(isThread(tenantId, key))
}

/** Every shared thread of a workspace, newest first. */
export function selectThreadShares(db: Database, tenantId: string): Promise<ThreadShareRow[]> {
  return db
    .select()
    .from(threadShares)
    .where(eq(threadShares.tenant_id, tenantId))
    .orderBy(desc(threadShares.created_at), desc(threadShares.share_token))
}

function isThread(tenantId: string, { projectId, threadId }: ThreadKey) {
  return and(
    eq(threadShares.tenant_id, tenantId),
    eq(threadShares.session_id, projectId),
    eq(threadShares.thread_id, threadId),
  )
}
