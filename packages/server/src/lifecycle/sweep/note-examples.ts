import { type SQL, sql } from 'drizzle-orm'
import { rowsOf } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { DeletionRecord } from './record-deletion.ts'

/**
 * Counts versions of examples that are about to be deleted and their attachments, and notes which bytes they refer to.
 *
 * @param condition  over the columns of `example_states`, the tenant among them
 */
export async function noteExamples(db: Database, condition: SQL, record: DeletionRecord): Promise<void> {
  const counted = await db.execute(sql`select count(*)::int as n from example_states where ${condition}`)
  // As text: a name may hold what jsonb cannot. A quotation mark inside of a name is escaped and does not match.
  const found = await db.execute(sql`
    select parts[1] as key, max(parts[2]::bigint)::float8 as size, count(*)::int as n
    from example_states, lateral regexp_matches(attachments, '"hash":"([0-9a-f]{64})","size":([0-9]+)', 'g') as parts
    where attachments <> '[]' and ${condition}
    group by parts[1]`)
  const blobs = rowsOf<{ key: string; size: number; n: number }>(found)
  await record.count({
    examples: rowsOf<{ n: number }>(counted)[0]!.n,
    attachments: blobs.reduce((sum, { n }) => sum + n, 0),
    attachment_bytes: blobs.reduce((sum, { n, size }) => sum + n * size, 0),
  })
  await record.noteBlobs(blobs)
}
