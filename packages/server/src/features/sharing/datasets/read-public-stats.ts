import type { RunStats, RunStatsQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { readStats } from '../../runs/stats/index.ts'
import { type OpenDataset, openAmong } from './open-dataset-share.ts'

/** Has no runs: figures of nothing still have their form. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/** Figures over the runs of shared experiments, whatever else the query names. */
export async function readPublicStats(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  share: OpenDataset,
  asked: Omit<RunStatsQuery, 'trace_filter' | 'tree_filter'>,
): Promise<RunStats | Record<string, RunStats>> {
  const session = await openAmong(deps, share, asked.session)
  const query = { ...asked, session: session.length > 0 ? session : [NO_PROJECT], reference_dataset_id: undefined }
  if (!asked.id?.length) return readStats(deps, share.tenantId, query)
  // Given ids, a query looks at nothing else: they must be open themselves.
  const id = await openRuns(deps, share, session, asked.id)
  return readStats(deps, share.tenantId, id.length > 0 ? { ...query, id } : { session: [NO_PROJECT] })
}

async function openRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  { tenantId }: OpenDataset,
  session: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (session.length === 0) return []
  const rows = await analytics.query<{ id: string }>(sql`
    select id
    from run_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)} and session_id in ${uuids(session)}`)
  return rows.map((row) => row.id)
}
