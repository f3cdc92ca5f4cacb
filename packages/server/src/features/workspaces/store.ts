import { ApiError } from '@touchstone/contract'
import { and, asc, count, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type WorkspaceRow, workspaces } from './tables.ts'

export async function selectWorkspace(db: Database, tenantId: string): Promise<WorkspaceRow> {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, tenantId))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}

/** Workspaces by name; all, or those of ids. */
export function selectWorkspaces(db: Database, ids?: readonly string[]): Promise<WorkspaceRow[]> {
  const isAsked = ids === undefined ? undefined : inArray(workspaces.id, [...ids])
  return db.select().from(workspaces).where(isAsked).orderBy(asc(workspaces.display_name), asc(workspaces.id))
}

export async function countWorkspaces(db: Database): Promise<number> {
  const [row] = await db.select({ n: count() }).from(workspaces)
  return row?.n ?? 0
}

export async function insertWorkspace(tx: Database, row: WorkspaceRow): Promise<void> {
  await tx.insert(workspaces).values(row)
}

/** Locks the row until the transaction ends. */
export async function selectWorkspaceForUpdate(tx: Database, tenantId: string): Promise<WorkspaceRow> {
  const [row] = await tx.select().from(workspaces).where(eq(workspaces.id, tenantId)).for('update')
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}

/** @returns undefined when another workspace holds the handle */
export async function updateHandle(tx: Database, tenantId: string, handle: string): Promise<WorkspaceRow | undefined> {
  // Two workspaces that ask for the same handle at once take turns, so that the later one sees the earlier.
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

export async function updateName(db: Database, tenantId: string, name: string): Promise<WorkspaceRow | undefined> {
  const [row] = await db.update(workspaces).set({ display_name: name }).where(eq(workspaces.id, tenantId)).returning()
  return row
}
