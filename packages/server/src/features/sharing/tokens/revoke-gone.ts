import type { Deps } from '../../../deps.ts'
import { sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { revokeRuns, selectShares } from './store.ts'

/**
 * Revokes the tokens of runs that are no longer there: runs were deleted by conditions, so it is not known which.
 *
 * @returns how many
 */
export async function revokeGone(deps: Pick<Deps, 'relational' | 'analytics'>, tenantId: string): Promise<number> {
  const { db } = deps.relational
  const ids = (await selectShares(db, tenantId)).map((share) => share.run_id)
  if (ids.length === 0) return 0
  const rows = await deps.analytics.query<{ id: string }>(sql`
    select id from run_keys final where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}`)
  const present = new Set(rows.map((row) => row.id))
  const gone = ids.filter((id) => !present.has(id))
  if (gone.length > 0) await revokeRuns(db, tenantId, gone)
  return gone.length
}
