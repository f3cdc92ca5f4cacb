import { ApiError } from '@touchstone/contract'
import { and, asc, count, eq, gt, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type WorkspaceRow, workspaces } from '../../../storage/relational/tables/accounts.ts'

const isNotDeleted = isNull(workspaces.deleted_at)

export async function selectWorkspace(db: Database, tenantId: string): Promise<WorkspaceRow> {
  const [row] = await db
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, tenantId), isNotDeleted))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}

/** Workspaces by name; all, or those with the ids. */
export function selectWorkspaces(db: Database, ids?: readonly string[]): Promise<WorkspaceRow[]> {
  const isAsked = ids === undefined ? undefined : inArray(workspaces.id, [...ids])
  return db
    .select()
    .from(workspaces)
    .where(and(isAsked, isNotDeleted))
    .orderBy(asc(workspaces.display_name), asc(workspaces.id))
}

export async function countWorkspaces(db: Database): Promise<number> {
  const [row] = await db.select({ n: count() }).from(workspaces).where(isNotDeleted)
  return row?.n ?? 0
}

export async function insertWorkspace(tx: Database, row: WorkspaceRow): Promise<void> {
  await tx.insert(workspaces).values(row)
}

/** Locks the row until the transaction ends. */
export async function selectWorkspaceForUpdate(tx: Database, tenantId: string): Promise<WorkspaceRow> {
  const [row] = await tx
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.id, tenantId), isNotDeleted))
    .for('update')
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}

/** @returns undefined when another workspace has the handle */
export async function updateHandle(tx: Database, tenantId: string, handle: string): Promise<WorkspaceRow | undefined> {
  // Concurrent requests for the same handle run one after the other, so that the later one sees the earlier.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`handle ${handle}`}, 0))`)
  const taken = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.tenant_handle, handle), ne(workspaces.id, tenantId)))
  if (taken.length > 0) return undefined
  const [row] = await tx
    .update(workspaces)
    .set({ tenant_handle: handle })
    .where(eq(workspaces.id, tenantId))
    .returning()
  return row
}

export async function updateWorkspaceName(
  db: Database,
  tenantId: string,
  name: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await db
    .update(workspaces)
    .set({ display_name: name })
    .where(and(eq(workspaces.id, tenantId), isNotDeleted))
    .returning()
  return row
}

/**
 * Marks a workspace as deleted: no query returns it, and its handle is free. The oldest other workspace replaces a
 * default one. Take the lock of the default workspace first.
 */
export async function markDeleted(
  tx: Database,
  tenantId: string,
  { now, deletionId }: { readonly now: string; readonly deletionId: string },
): Promise<void> {
  const { is_default } = await selectWorkspaceForUpdate(tx, tenantId)
  const gone = { deleted_at: now, deletion_id: deletionId, tenant_handle: null, is_default: false }
  await tx.update(workspaces).set(gone).where(eq(workspaces.id, tenantId))
  if (!is_default) return
  const [oldest] = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(isNotDeleted)
    .orderBy(asc(workspaces.created_at), asc(workspaces.id))
    .limit(1)
  if (oldest !== undefined) await tx.update(workspaces).set({ is_default: true }).where(eq(workspaces.id, oldest.id))
}

/** Deleted workspaces that may still have stored data: not purged yet, or deleted after `since`. */
export async function selectDeleted(db: Database, since: string): Promise<WorkspaceRow[]> {
  const mayHold = or(isNull(workspaces.purged_at), gt(workspaces.deleted_at, since))
  return db
    .select()
    .from(workspaces)
    .where(and(isNotNull(workspaces.deleted_at), mayHold))
}

/** Marks a deleted workspace as purged and clears its name. */
export async function markPurged(db: Database, tenantId: string, now: string): Promise<void> {
  await db.update(workspaces).set({ purged_at: now, display_name: '' }).where(eq(workspaces.id, tenantId))
}
