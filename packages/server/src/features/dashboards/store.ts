import { and, asc, eq, isNull, ne, or } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type DashboardRow, dashboards } from '../../storage/relational/tables/dashboards.ts'

/** Dashboards of the workspace, and of one project if named, by name. */
export function selectDashboards(
  db: Database,
  tenantId: string,
  projectId: string | undefined,
): Promise<DashboardRow[]> {
  const isOffered =
    projectId === undefined
      ? isNull(dashboards.project_id)
      : or(isNull(dashboards.project_id), eq(dashboards.project_id, projectId))
  return db
    .select()
    .from(dashboards)
    .where(and(eq(dashboards.tenant_id, tenantId), isOffered))
    .orderBy(asc(dashboards.name), asc(dashboards.id))
}

export async function selectDashboard(db: Database, tenantId: string, id: string): Promise<DashboardRow | undefined> {
  const [row] = await db.select().from(dashboards).where(whereDashboard(tenantId, id))
  return row
}

/** Selects and locks a dashboard until the transaction ends, which serializes concurrent changes. */
export async function lockDashboard(tx: Database, tenantId: string, id: string): Promise<DashboardRow | undefined> {
  const [row] = await tx.select().from(dashboards).where(whereDashboard(tenantId, id)).for('update')
  return row
}

/** Whether another dashboard of the same project or workspace has the name. */
export async function isNameTaken(db: Database, row: DashboardRow): Promise<boolean> {
  const place = row.project_id === null ? isNull(dashboards.project_id) : eq(dashboards.project_id, row.project_id)
  const others = await db
    .select({ id: dashboards.id })
    .from(dashboards)
    .where(
      and(eq(dashboards.tenant_id, row.tenant_id), place, eq(dashboards.name, row.name), ne(dashboards.id, row.id)),
    )
    .limit(1)
  return others.length > 0
}

/** @returns false when the name is taken */
export async function insertDashboard(db: Database, row: DashboardRow): Promise<boolean> {
  const written = await db.insert(dashboards).values(row).onConflictDoNothing().returning({ id: dashboards.id })
  return written.length > 0
}

export async function updateDashboard(db: Database, row: DashboardRow): Promise<void> {
  await db.update(dashboards).set(row).where(whereDashboard(row.tenant_id, row.id))
}

/** @returns false when it does not exist */
export async function deleteDashboard(db: Database, tenantId: string, id: string): Promise<boolean> {
  const gone = await db.delete(dashboards).where(whereDashboard(tenantId, id)).returning({ id: dashboards.id })
  return gone.length > 0
}

function whereDashboard(tenantId: string, id: string) {
  return and(eq(dashboards.tenant_id, tenantId), eq(dashboards.id, id))
}
