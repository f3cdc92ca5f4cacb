import { ApiError, contract, type Resolved } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import { findProject } from '../../projects/index.ts'
import { appPath } from '../index.ts'
import { readTraceTree } from './read-tree.ts'

export function traceRoutes(app: App, deps: Pick<Deps, 'analytics' | 'relational'>): void {
  for (const route of [contract.traces.runs, contract.traces.runsAtOldPath]) {
    serve(app, route, ({ params, caller }) => readTraceTree(deps, caller.tenantId, params.trace_id))
  }

  serve(app, contract.traces.resolve, ({ params, caller }) => resolveId(deps, caller.tenantId, params.id))
}

/**
 * Finds the run or else the project with an id.
 *
 * @throws ApiError NOT_FOUND
 */
async function resolveId(
  deps: Pick<Deps, 'analytics' | 'relational'>,
  tenantId: string,
  id: string,
): Promise<Resolved> {
  const [run] = await deps.analytics.query<FoundRun>(sql`
    select id, session_id, trace_id, start_time, name
    from trace_runs final
    where tenant_id = ${uuid(tenantId)} and (trace_id, start_time, id) in (
      select trace_id, start_time, id from run_keys final where tenant_id = ${uuid(tenantId)} and id = ${uuid(id)})`)
  if (run !== undefined) return { kind: 'run', id, name: run.name, app_path: appPath(tenantId, run) }

  const project = await findProject(deps, tenantId, id)
  if (project === undefined) throw new ApiError('NOT_FOUND', `${id} was not found: no run or project has this id`)
  return { kind: 'project', id, name: project.name, app_path: `/o/${tenantId}/projects/p/${id}` }
}

interface FoundRun {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  readonly start_time: string
  readonly name: string
}
