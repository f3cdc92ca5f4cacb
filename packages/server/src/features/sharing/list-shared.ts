import type { SharedEntity } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, each, text } from '../../storage/rows.ts'
import { selectDatasetMap } from '../datasets/index.ts'
import { selectProjectsById } from '../projects/index.ts'
import { selectDatasetShares, selectRunShares, selectThreadShares } from './share-links.ts'

/** All shared runs, datasets and threads of a workspace, newest first. */
export async function listShared(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  tenantId: string,
): Promise<SharedEntity[]> {
  const lists = await Promise.all([listRuns(deps, tenantId), listDatasets(deps, tenantId), listThreads(deps, tenantId)])
  return lists.flat().sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
}

async function listDatasets(deps: Pick<Deps, 'relational'>, tenantId: string): Promise<SharedEntity[]> {
  const shares = await selectDatasetShares(deps.relational.db, tenantId)
  const ids = shares.map((share) => share.dataset_id)
  const datasets = await selectDatasetMap(deps, tenantId, ids)
  return shares.flatMap(({ share_token, created_at, dataset_id, shares_projects }) => {
    const dataset_name = datasets.get(dataset_id)?.name
    if (dataset_name === undefined) return []
    return [{ type: 'dataset', share_token, created_at, dataset_id, dataset_name, shares_projects }]
  })
}

async function listThreads(deps: Pick<Deps, 'relational'>, tenantId: string): Promise<SharedEntity[]> {
  const shares = await selectThreadShares(deps.relational.db, tenantId)
  const projects = await selectProjectsById(deps, tenantId, [...new Set(shares.map((share) => share.session_id))])
  return shares.map(({ share_token, created_at, thread_id, session_id }) => {
    const session_name = projects.get(session_id)?.name ?? ''
    return { type: 'thread', share_token, created_at, thread_id, session_id, session_name }
  })
}

/** Leaves out deleted runs. */
async function listRuns(deps: Pick<Deps, 'relational' | 'analytics'>, tenantId: string): Promise<SharedEntity[]> {
  const shares = await selectRunShares(deps.relational.db, tenantId)
  if (shares.length === 0) return []
  const runs = await selectNames(
    deps,
    tenantId,
    shares.map((share) => share.run_id),
  )
  const projects = await selectProjectsById(deps, tenantId, [
    ...new Set([...runs.values()].map((run) => run.session_id)),
  ])
  return shares.flatMap(({ share_token, created_at, run_id }) => {
    const run = runs.get(run_id)
    if (run === undefined) return []
    const { name: run_name, run_type, session_id } = run
    const session_name = projects.get(session_id)?.name ?? ''
    return [{ type: 'run', share_token, created_at, run_id, run_name, run_type, session_id, session_name }]
  })
}

async function selectNames({ analytics }: Pick<Deps, 'analytics'>, tenantId: string, ids: readonly string[]) {
  const tenant = uuid(tenantId)
  const rows = await analytics.query(
    sql`
      select id, name, run_type, session_id
      from trace_runs final
      where tenant_id = ${tenant} and (trace_id, start_time, id) in (
        select trace_id, start_time, id from run_keys final where tenant_id = ${tenant} and id in ${uuids(ids)})`,
    columns(each(['id', 'name', 'run_type', 'session_id'], text)),
  )
  return new Map(rows.map((row) => [row.id, row]))
}
