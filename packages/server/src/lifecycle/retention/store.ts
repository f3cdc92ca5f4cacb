import { and, asc, eq, sql } from 'drizzle-orm'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import { projectRetention, workspaceRetention } from '../../storage/relational/tables/lifecycle.ts'
import { columns, ID_ROW, number, type RowOf, text } from '../../storage/rows.ts'

export async function selectWorkspaceRetention(db: Database, tenantId: string): Promise<number> {
  const [row] = await db
    .select({ days: workspaceRetention.days })
    .from(workspaceRetention)
    .where(eq(workspaceRetention.tenant_id, tenantId))
  return row?.days ?? 0
}

export async function upsertWorkspaceRetention(db: Database, tenantId: string, days: number): Promise<void> {
  await db
    .insert(workspaceRetention)
    .values({ tenant_id: tenantId, days })
    .onConflictDoUpdate({ target: workspaceRetention.tenant_id, set: { days } })
}

export function selectProjectRetentions(
  db: Database,
  tenantId: string,
): Promise<{ session_id: string; days: number }[]> {
  return db
    .select({ session_id: projectRetention.project_id, days: projectRetention.days })
    .from(projectRetention)
    .where(eq(projectRetention.tenant_id, tenantId))
    .orderBy(asc(projectRetention.project_id))
}

export async function selectProjectRetention(
  db: Database,
  tenantId: string,
  projectId: string,
): Promise<number | null> {
  const [row] = await db.select({ days: projectRetention.days }).from(projectRetention).where(is(tenantId, projectId))
  return row?.days ?? null
}

/** @param days  null removes the setting of the project */
export async function writeProjectRetention(
  db: Database,
  tenantId: string,
  projectId: string,
  days: number | null,
): Promise<void> {
  if (days === null) await db.delete(projectRetention).where(is(tenantId, projectId))
  else {
    await db
      .insert(projectRetention)
      .values({ project_id: projectId, tenant_id: tenantId, days })
      .onConflictDoUpdate({ target: projectRetention.project_id, set: { days } })
  }
}

const PROJECT_WITH_RETENTION = columns({ tenantId: text, projectId: text, projectName: text, days: number })
export type ProjectWithRetention = RowOf<typeof PROJECT_WITH_RETENTION>

/**
 * Projects with a retention, of all workspaces or of one. A project without its own setting follows its workspace,
 * except an experiment, which only follows its own setting.
 */
export async function selectProjectsWithRetention(db: Database, tenantId?: string): Promise<ProjectWithRetention[]> {
  const result = await db.execute(sql`
    select projects.tenant_id as "tenantId", projects.id as "projectId",
      projects.name as "projectName",
      coalesce(project_retention.days, workspace_retention.days) as days
    from projects
    left join project_retention on project_retention.project_id = projects.id
    left join workspace_retention
      on workspace_retention.tenant_id = projects.tenant_id and projects.reference_dataset_id is null
    where coalesce(project_retention.days, workspace_retention.days) > 0
      and ${tenantId === undefined ? sql`true` : sql`projects.tenant_id = ${tenantId}`}
    order by projects.id`)
  return toRows(result, PROJECT_WITH_RETENTION)
}

/** Ids of the projects that follow the default of a workspace. */
export async function selectProjectsWithDefaultRetention(db: Database, tenantId: string): Promise<string[]> {
  const result = await db.execute(sql`
    select id from projects
    where tenant_id = ${tenantId} and reference_dataset_id is null
      and not exists (select from project_retention where project_retention.project_id = projects.id)
    order by id`)
  return toRows(result, ID_ROW).map(({ id }) => id)
}

function is(tenantId: string, projectId: string) {
  return and(eq(projectRetention.tenant_id, tenantId), eq(projectRetention.project_id, projectId))
}
