import { sql as pg, type SQL } from 'drizzle-orm'
import type { Analytics } from '../analytics/port.ts'
import { type Fragment, sql, text, uint, uuid } from '../analytics/sql.ts'
import { toRows } from '../relational/migrate.ts'
import type { Database } from '../relational/port.ts'
import type { DeletionRecord } from './record-deletion.ts'

const ATTACHMENTS_AT_ONCE = 10_000

/**
 * Counts the attachments of runs that are about to be deleted, and records the blobs they reference.
 *
 * @param condition  over the columns of `run_attachments`
 */
export async function noteAttachments(
  { analytics }: { readonly analytics: Analytics },
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
      limit ${uint(ATTACHMENTS_AT_ONCE)}`)
    const attachments = rows.reduce((sum, { n }) => sum + Number(n), 0)
    const attachment_bytes = rows.reduce((sum, { n, size }) => sum + Number(n) * Number(size), 0)
    await record.count({ attachments, attachment_bytes })
    await record.noteBlobs(rows.map(({ blob, size }) => ({ key: blob, size: Number(size) })))
    const last = rows.at(-1)
    if (last === undefined || rows.length < ATTACHMENTS_AT_ONCE) return
    after = last.blob
  }
}

/**
 * Counts example versions that are about to be deleted and their attachments, and records the blobs they reference.
 *
 * @param condition  over the columns of `example_states`, including the tenant
 */
export async function noteExamples(db: Database, condition: SQL, record: DeletionRecord): Promise<void> {
  const counted = await db.execute(pg`select count(*)::int as n from example_states where ${condition}`)
  // As text: a name may hold characters that jsonb rejects. A quotation mark in a name is escaped and does not
  // match.
  const found = await db.execute(pg`
    select parts[1] as key, max(parts[2]::bigint)::float8 as size, count(*)::int as n
    from example_states, lateral regexp_matches(attachments, '"hash":"([0-9a-f]{64})","size":([0-9]+)', 'g') as parts
    where attachments <> '[]' and ${condition}
    group by parts[1]`)
  const blobs = toRows<{ key: string; size: number; n: number }>(found)
  await record.count({
    examples: toRows<{ n: number }>(counted)[0]?.n ?? 0,
    attachments: blobs.reduce((sum, { n }) => sum + n, 0),
    attachment_bytes: blobs.reduce((sum, { n, size }) => sum + n * size, 0),
  })
  await record.noteBlobs(blobs)
}
