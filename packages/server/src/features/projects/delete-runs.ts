import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { deleteFeedbackWhere } from '../feedback/index.ts'

/** Deletes all runs of projects, with what hangs on them; readers see none of them once this settles. */
export async function deleteRunsOf(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  projectIds: readonly string[],
): Promise<void> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ofProjects = sql`${tenant} and session_id in ${uuids(projectIds)}`
  const itsRuns = sql`run_id in (select id from runs where ${ofProjects})`
  await analytics.command(sql`delete from run_attachments where ${tenant} and ${itsRuns}`)
  await deleteFeedbackWhere({ analytics }, tenantId, sql`session_id in ${uuids(projectIds)} or ${itsRuns}`)
  await analytics.command(sql`delete from run_keys where ${ofProjects}`)
  await analytics.command(sql`delete from trace_runs where ${ofProjects}`)
  await analytics.command(sql`delete from project_roots where ${ofProjects}`)
  await analytics.command(sql`delete from project_usage where ${ofProjects}`)
  await analytics.command(sql`delete from runs where ${ofProjects}`)
}
