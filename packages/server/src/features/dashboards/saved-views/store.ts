import { and, asc, eq, isNull, ne, or } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type SavedViewRow, savedViews } from '../../../storage/relational/tables/projects.ts'

/** The viewer, who sees the shared views of a workspace and their own. */
export interface Viewer {
  tenantId: string
  /** As `identityOf` gives it. */
  identity: string
}

/** Views of the workspace, and of one project if named, by name. */
export function selectViews(db: Database, viewer: Viewer, projectId: string | undefined): Promise<SavedViewRow[]> {
  const isOffered =
    projectId === undefined
      ? isNull(savedViews.project_id)
      : or(isNull(savedViews.project_id), eq(savedViews.project_id, projectId))
  return db
    .select()
    .from(savedViews)
    .where(and(whereVisible(viewer), isOffered))
    .orderBy(asc(savedViews.name), asc(savedViews.id))
}

export async function selectView(db: Database, viewer: Viewer, id: string): Promise<SavedViewRow | undefined> {
  const [row] = await db
    .select()
    .from(savedViews)
    .where(and(whereVisible(viewer), eq(savedViews.id, id)))
  return row
}

/** Whether another view of the same project and owner has the name. */
export async function isNameTaken(db: Database, row: SavedViewRow): Promise<boolean> {
  const place = row.project_id === null ? isNull(savedViews.project_id) : eq(savedViews.project_id, row.project_id)
  const owner = row.owner_id === null ? isNull(savedViews.owner_id) : eq(savedViews.owner_id, row.owner_id)
  const others = await db
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(
      and(
        eq(savedViews.tenant_id, row.tenant_id),
        place,
        owner,
        eq(savedViews.name, row.name),
        ne(savedViews.id, row.id),
      ),
    )
    .limit(1)
  return others.length > 0
}

/** @returns false when the name is taken */
export async function insertView(db: Database, row: SavedViewRow): Promise<boolean> {
  const written = await db.insert(savedViews).values(row).onConflictDoNothing().returning({ id: savedViews.id })
  return written.length > 0
}

export async function updateView(db: Database, row: SavedViewRow): Promise<void> {
  await db
    .update(savedViews)
    .set(row)
    .where(and(eq(savedViews.tenant_id, row.tenant_id), eq(savedViews.id, row.id)))
}

/** @returns false when it does not exist */
export async function deleteView(db: Database, viewer: Viewer, id: string): Promise<boolean> {
  const gone = await db
    .delete(savedViews)
    .where(and(whereVisible(viewer), eq(savedViews.id, id)))
    .returning({ id: savedViews.id })
  return gone.length > 0
}

function whereVisible({ tenantId, identity }: Viewer) {
  return and(eq(savedViews.tenant_id, tenantId), or(isNull(savedViews.owner_id), eq(savedViews.owner_id, identity)))
}
