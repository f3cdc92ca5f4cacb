import type { Deps } from '../../deps.ts'
import { type Fragment, sql, uuid } from '../../storage/analytics/sql.ts'

/** How much feedback meets a condition over the columns of `run_feedback`. */
export async function countFeedback(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<number> {
  const [row] = await analytics.query<{ n: string }>(sql`
    select count() as n from run_feedback final where tenant_id = ${uuid(tenantId)} and (${condition})`)
  return Number(row?.n ?? 0)
}

/**
 * Deletes feedback for good, e.g. that of a project that is deleted; readers see none of it once this settles.
 *
 * @param condition  over the columns of `run_feedback`; what it reads of runs must still be there
 */
export async function deleteFeedbackWhere(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<void> {
  const wanted = sql`tenant_id = ${uuid(tenantId)} and (${condition})`
  await analytics.command(
    sql`delete from feedback_keys where tenant_id = ${uuid(tenantId)} and id in (select id from run_feedback where ${wanted})`,
  )
  await analytics.command(sql`delete from run_feedback where ${wanted}`)
}
