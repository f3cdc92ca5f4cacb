import type { Deps } from '../../deps.ts'
import { type Fragment, sql, uuid } from '../../storage/analytics/sql.ts'

/**
 * Rows that readers still find of runs that were deleted, over every table that holds runs or what hangs on them.
 *
 * @param doomed  conditions on `trace_runs`, whose tombstones still name the runs
 */
export async function countLeft(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  doomed: Fragment,
): Promise<number> {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ids = sql`(select id from trace_runs where ${doomed})`
  const keys = sql`${tenant} and (session_id, start_time, id) in (
      select session_id, start_time, id from trace_runs where ${doomed})`
  const [row] = await analytics.query<{ n: string }>(sql`
    select (select count() from runs final where ${keys})
      + (select count() from run_keys final where ${tenant} and id in ${ids})
      + (select count() from trace_runs final where ${doomed})
      + (select count() from project_roots final where ${keys})
      + (select count() from project_usage final where ${keys})
      + (select count() from run_feedback final where ${tenant} and run_id in ${ids})
      + (select count() from feedback_keys final where ${tenant} and run_id in ${ids})
      + (select count() from run_attachments final where ${tenant} and run_id in ${ids}) as n`)
  return Number(row?.n ?? 0)
}
