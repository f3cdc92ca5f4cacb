import { timeOfEpochMs } from '@touchstone/contract'
import { and, isNull, lte, min } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { literal, sql } from '../../storage/analytics/sql.ts'
import { deletions } from '../../storage/relational/tables/lifecycle.ts'
import { ANY_ROW } from '../../storage/rows.ts'

type EraseDeps = Pick<Deps, 'analytics' | 'relational' | 'clock'>

/** Tables with tombstones, and their sort keys. */
const CLOSED_BY_TOMBSTONES = {
  runs: 'tenant_id, session_id, start_time, id',
  run_keys: 'tenant_id, id',
  trace_runs: 'tenant_id, trace_id, start_time, id',
  project_roots: 'tenant_id, session_id, start_time, id',
  project_usage: 'tenant_id, session_id, start_time, id',
} as const

/** Tables with lightweight deletes, which only hide rows until their part is rewritten. */
const HIDDEN_BY_MASKS = [
  ...Object.keys(CLOSED_BY_TOMBSTONES),
  'run_attachments',
  'run_aliases',
  'run_links',
  'rule_decisions',
  'alert_points',
  'run_feedback',
  'feedback_keys',
]

/**
 * Rewrites the analytics files that still hold deleted rows once the oldest deletion is due. The replaced files leave
 * the disk about eight minutes later (`old_parts_lifetime` of the engine). Marks deletions that ended before the
 * start as erased.
 *
 * @param afterMs  delay after a deletion; one rewrite covers all that ended until then
 */
export async function eraseDeletedRows(deps: EraseDeps, { afterMs }: { readonly afterMs: number }): Promise<boolean> {
  const began = deps.clock()
  const { db } = deps.relational
  const [oldest] = await db
    .select({ at: min(deletions.ended_at) })
    .from(deletions)
    .where(isNull(deletions.erased_at))
  if (oldest?.at == null || Date.parse(oldest.at) > began - afterMs) return false
  for (const [table, key] of Object.entries(CLOSED_BY_TOMBSTONES)) await deleteClosedRows(deps, table, key)
  for (const table of HIDDEN_BY_MASKS) {
    await deps.analytics.command(literal(`alter table ${table} apply deleted mask settings mutations_sync = 1`))
  }
  await db
    .update(deletions)
    .set({ erased_at: timeOfEpochMs(deps.clock()) })
    .where(and(isNull(deletions.erased_at), lte(deletions.ended_at, timeOfEpochMs(began))))
  return true
}

/** Deletes rows older than the tombstone of their key. A run that was sent again has a newer row and keeps it. */
async function deleteClosedRows({ analytics }: EraseDeps, table: string, key: string): Promise<void> {
  const closed = literal(`(${key}, version) in (
    select ${key}, version from ${table}
    inner join (select ${key}, max(version) as closed_at from ${table} where is_deleted = 1 group by ${key}) as tombstones
      using (${key})
    where is_deleted = 0 and version < closed_at)`)
  const found = await analytics.query(
    sql`select 1 from ${literal(table)} where is_deleted = 0 and ${closed} limit 1`,
    ANY_ROW,
  )
  if (found.length === 0) return
  await analytics.command(
    sql`alter table ${literal(table)} delete where is_deleted = 0 and ${closed} settings mutations_sync = 1`,
  )
}
