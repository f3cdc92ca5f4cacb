import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { revokeRuns, selectShares } from './store.ts'

/** Revokes the tokens of runs that are no longer there: runs were deleted by conditions, so it is not known which. */
export async function revokeGone(deps: Pick<Deps, 'relational' | 'analytics'>, tenantId: string): Promise<void> {
  const { db } = deps.relational
  const ids = (await selectShares(db, tenantId)).map((share) => share.run_id)
  if (ids.length === 0) return
  const rows = await deps.analytics.query<{ id: string }>(sql`
    select id from run_keys final where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}`)
  const present = new Set(rows.map((row) => row.id))
  await revokeRuns(
    db,
    tenantId,
    ids.filter((id) => !present.has(id)),
  )
}
