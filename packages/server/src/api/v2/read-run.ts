import { ApiError, RunConditions, type RunSelect } from '@touchstone/contract'
import { appPath, type LookUpDeps, type RunView, readViews, whereOf } from '../../features/runs/index.ts'
import { RawJson } from '../../http/raw-json.ts'
import { join, sql, uuid } from '../../storage/analytics/sql.ts'
import { fieldsBehind, presentRunV2, selected } from './present-run.ts'

export interface RunKey {
  readonly runId: string
  readonly projectId: string
}

/** @throws ApiError NOT_FOUND when the project has no such run */
export async function readRunV2(
  deps: LookUpDeps,
  tenantId: string,
  key: RunKey,
  names: readonly string[],
  origin: string,
): Promise<RawJson> {
  const selects = selected(names)
  return new RawJson(presentRunV2(await getView(deps, tenantId, key, selects), selects, origin))
}

/**
 * The web page of a run.
 *
 * @throws ApiError NOT_FOUND when the project has no such run
 */
export async function urlOfRun(deps: LookUpDeps, tenantId: string, key: RunKey, origin: string): Promise<string> {
  const { row } = await getView(deps, tenantId, key, ['ID'])
  return origin + appPath(tenantId, row)
}

async function getView(
  deps: LookUpDeps,
  tenantId: string,
  { runId, projectId }: RunKey,
  selects: readonly RunSelect[],
): Promise<RunView> {
  const where = join([whereOf(tenantId, RunConditions.parse({ id: [runId] })), sql`session_id = ${uuid(projectId)}`])
  const [view] = (await readViews(deps, tenantId, where, fieldsBehind(selects), { all: 'asc' })).views
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return view
}
