import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'

/** Where a run is; times in the column store's form. */
export interface RunKey {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  readonly start_time: string
}

/** What is known of runs, by id; those that have not arrived are left out. */
export async function keysOfRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, RunKey>> {
  if (runIds.length === 0) return new Map()
  const rows = await analytics.query<RunKey>(sql`
    select id, session_id, trace_id, start_time
    from run_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(runIds)])}`)
  return new Map(rows.map((row) => [row.id, row]))
}
