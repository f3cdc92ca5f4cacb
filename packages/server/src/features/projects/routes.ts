import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { listProjects } from './list-projects.ts'
import { presentProject } from './present.ts'
import { createProject, readExtra, updateProjectByRequest } from './save-project.ts'
import { readSelectedStats, type StatsDeps } from './stats.ts'
import { selectProject } from './store.ts'

type ProjectDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & StatsDeps

export function projectRoutes(app: App, deps: ProjectDeps): void {
  const { projects } = contract

  serve(app, projects.create, async ({ caller, body, bodyText, query }) => {
    const request = { body, extraText: readExtra(bodyText) }
    return new RawJson(presentProject(await createProject(deps, caller.tenantId, request, query.upsert)))
  })

  serve(app, projects.list, async ({ caller, query }) => {
    const found = await listProjects(deps, caller.tenantId, query)
    return new RawJson(`[${found.map(({ row, stats }) => presentProject(row, stats)).join(',')}]`)
  })

  serve(app, projects.read, async ({ caller, params, query }) => {
    const row = await selectProject(deps.relational.db, caller.tenantId, params.session_id)
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Session not found')
    const stats = await readSelectedStats(deps, caller.tenantId, [row.id], query)
    return new RawJson(presentProject(row, stats.get(row.id)))
  })

  serve(app, projects.update, async ({ caller, params, body, bodyText }) => {
    const request = { body, extraText: readExtra(bodyText) }
    return new RawJson(presentProject(await updateProjectByRequest(deps, caller.tenantId, params.session_id, request)))
  })
}
