import { ApiError } from '@touchstone/contract'
import { and, eq, ne } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type WorkspaceRow, workspaces } from './tables.ts'

export async function selectWorkspace(db: Database, tenantId: string): Promise<WorkspaceRow> {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, tenantId))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}

/** @returns undefined when another workspace holds the handle */
export async function updateHandle(db: Database, tenantId: string, handle: string): Promise<WorkspaceRow | undefined> {
  const taken = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.tenant_handle, handle), ne(workspaces.id, tenantId)))
  if (taken.length > 0) return undefined
  const [row] = await db
    .update(workspaces)
    .set({ tenant_handle: handle })
    .where(eq(workspaces.id, tenantId))
    .returning()
  return row
}
