import { ApiError, contract, type ProjectRetention } from '@touchstone/contract'
import { findProject } from '../../features/projects/index.ts'
import { type App, serve } from '../../http/serve.ts'
import { defineRetentionJobs, estimateRetention, type RetentionDeps, toRetentionBound } from './expire-traces.ts'
import {
  selectProjectRetention,
  selectProjectRetentions,
  selectProjectsWithDefaultRetention,
  selectWorkspaceRetention,
  upsertWorkspaceRetention,
  writeProjectRetention,
} from './store.ts'

export function retentionRoutes(app: App, deps: RetentionDeps): void {
  const { retention } = contract
  const { db } = deps.relational
  const { begin } = defineRetentionJobs(deps)

  const ofWorkspace = async (tenantId: string) => ({
    days: await selectWorkspaceRetention(db, tenantId),
    projects: await selectProjectRetentions(db, tenantId),
  })

  serve(app, retention.readWorkspace, ({ caller }) => ofWorkspace(caller.tenantId))

  serve(app, retention.setWorkspace, async ({ caller, body }) => {
    await upsertWorkspaceRetention(db, caller.tenantId, body.days)
    await begin(caller.tenantId)
    return ofWorkspace(caller.tenantId)
  })

  serve(app, retention.estimateWorkspace, async ({ caller, query }) =>
    estimateRetention(deps, caller.tenantId, await selectProjectsWithDefaultRetention(db, caller.tenantId), query.days),
  )

  serve(app, retention.readProject, ({ caller, params }) => ofProject(deps, caller.tenantId, params.session_id))

  serve(app, retention.setProject, async ({ caller, params, body }) => {
    const { tenantId } = caller
    await requireProject(deps, tenantId, params.session_id)
    await writeProjectRetention(db, tenantId, params.session_id, body.days)
    await begin(tenantId, params.session_id)
    return ofProject(deps, tenantId, params.session_id)
  })

  serve(app, retention.estimateProject, async ({ caller, params, query }) => {
    await requireProject(deps, caller.tenantId, params.session_id)
    return estimateRetention(deps, caller.tenantId, [params.session_id], query.days)
  })
}

/** @throws ApiError NOT_FOUND */
async function ofProject(deps: RetentionDeps, tenantId: string, projectId: string): Promise<ProjectRetention> {
  const project = await requireProject(deps, tenantId, projectId)
  const days = await selectProjectRetention(deps.relational.db, tenantId, projectId)
  const follows = days === null && project.reference_dataset_id === null
  const effective_days = follows ? await selectWorkspaceRetention(deps.relational.db, tenantId) : (days ?? 0)
  return { days, effective_days, removes_before: toRetentionBound(deps, effective_days) }
}

async function requireProject(deps: RetentionDeps, tenantId: string, projectId: string) {
  const project = await findProject(deps, tenantId, projectId)
  if (project === undefined) throw new ApiError('NOT_FOUND', 'Session not found')
  return project
}
