import type { Deps } from '../../../deps.ts'
import { sql, uint } from '../../../storage/analytics/sql.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Removes the names of attachments whose run is not there a day after they came: the run was never sent, or it was
 * deleted while they were on their way. Their bytes go with the next sweep.
 */
export async function removeOrphanedAttachments({
  analytics,
  clock,
}: Pick<Deps, 'analytics' | 'clock'>): Promise<void> {
  // Versions of rows are microseconds of the clock.
  const orphans = sql`
    version < ${uint((clock() - DAY_MS) * 1000)} and (tenant_id, run_id) not in (
      select tenant_id, id from run_keys final
      where (tenant_id, id) in (select tenant_id, run_id from run_attachments))`
  const found = await analytics.query(sql`select 1 from run_attachments where ${orphans} limit 1`)
  if (found.length > 0) await analytics.command(sql`delete from run_attachments where ${orphans}`)
}
