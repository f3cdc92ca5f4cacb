import type { Deps } from '../deps.ts'
import { literal, printedTime, sql, times, uuid, uuids } from '../storage/analytics/sql.ts'
import type { PendingWrite } from './place-writes.ts'
import { type RecentRuns, STORED_RUN_COLUMNS, type StoredRun } from './stored-run.ts'

type ReadDeps = Pick<Deps, 'analytics'> & { readonly recent: RecentRuns }

interface RunKey {
  readonly is_deleted: 0 | 1
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  readonly version: string
}

interface StoredRuns {
  readonly stored: Map<string, StoredRun>
  /** Version of the tombstone by run id. */
  readonly deleted: Map<string, string>
}

/**
 * Reads the stored rows of the runs that are about to be written: from memory if it is current, else from the store. The
 * newest key is selected here and not by `final`, which would hide the tombstones.
 */
export async function readStoredRuns(
  deps: ReadDeps,
  tenantId: string,
  pending: readonly PendingWrite[],
): Promise<StoredRuns> {
  const ids = [...new Set(pending.map(({ write }) => write.id))]
  const keys = await deps.analytics.query<RunKey>(sql`
    select id, session_id, start_time, version, is_deleted
    from run_keys
    where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}
    order by version desc
    limit 1 by id`)
  const stored = new Map<string, StoredRun>()
  const deleted = new Map<string, string>()
  const missing: RunKey[] = []
  for (const key of keys) {
    const recent = key.is_deleted ? undefined : deps.recent.find(tenantId, key.id, key.version)
    if (key.is_deleted) deleted.set(key.id, key.version)
    else if (recent !== undefined) stored.set(key.id, recent)
    else missing.push(key)
  }
  for (const row of await readRows(deps, tenantId, missing)) stored.set(row.id, row)
  return { stored, deleted }
}

async function readRows(deps: ReadDeps, tenantId: string, keys: readonly RunKey[]): Promise<StoredRun[]> {
  if (keys.length === 0) return []
  const sessions = uuids(keys.map((key) => key.session_id))
  const starts = times(keys.map((key) => printedTime(key.start_time)))
  return deps.analytics.query<StoredRun>(sql`
    select ${literal(STORED_RUN_COLUMNS.join(', '))}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(keys.map((key) => key.id))})`)
}
