import type { Deps } from '../../deps.ts'
import { type Fragment, sql, text, uint, uuid } from '../../storage/analytics/sql.ts'
import type { DeletionRecord } from './record-deletion.ts'

const AT_ONCE = 10_000

/**
 * Counts attachments of runs that are about to be deleted, and notes which bytes they refer to.
 *
 * @param condition  over the columns of `run_attachments`
 */
export async function noteAttachments(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
  record: DeletionRecord,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await analytics.query<{ blob: string; n: string; size: string }>(sql`
      select blob, count() as n, any(bytes) as size from run_attachments final
      where tenant_id = ${uuid(tenantId)} and (${condition}) and blob > ${text(after)}
      group by blob
      order by blob
      limit ${uint(AT_ONCE)}`)
    const attachments = rows.reduce((sum, { n }) => sum + Number(n), 0)
    const attachment_bytes = rows.reduce((sum, { n, size }) => sum + Number(n) * Number(size), 0)
    await record.count({ attachments, attachment_bytes })
    await record.noteBlobs(rows.map(({ blob, size }) => ({ key: blob, size: Number(size) })))
    if (rows.length < AT_ONCE) return
    after = rows.at(-1)!.blob
  }
}
