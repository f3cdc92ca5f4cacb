import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { App } from '../../http/router.ts'
import { serve } from '../../http/serve.ts'
import { countDatasets } from '../datasets/index.ts'
import { countProjects } from '../projects/index.ts'
import { presentSettings, presentWorkspace } from './present.ts'
import { renameWorkspace } from './rename-workspace.ts'
import { setHandle } from './set-handle.ts'
import { selectWorkspace } from './store.ts'

export type WorkspaceDeps = Pick<Deps, 'relational'> & {
  /** How many prompts, agents and skills a workspace has; their room stands on this one. */
  readonly countRepos: (tenantId: string) => Promise<number>
  /** Of a person; null for a key. */
  readonly emailOf: (caller: Caller) => Promise<string | null>
}

export function workspaceRoutes(app: App, deps: WorkspaceDeps): void {
  const { db } = deps.relational

  serve(app, contract.workspaces.settings, async ({ caller }) =>
    presentSettings(await selectWorkspace(db, caller.tenantId)),
  )

  serve(app, contract.workspaces.setHandle, async ({ caller, body }) =>
    presentSettings(await setHandle(deps, caller.tenantId, body.tenant_handle)),
  )

  serve(app, contract.workspaces.rename, async ({ caller, body }) =>
    presentSettings(await renameWorkspace(deps, caller.tenantId, body.display_name)),
  )

  for (const route of [contract.workspaces.list, contract.workspaces.tenants]) {
    serve(app, route, async ({ caller }) => [presentWorkspace(await selectWorkspace(db, caller.tenantId), caller.role)])
  }

  serve(app, contract.workspaces.stats, async ({ caller }) => ({
    tenant_id: caller.tenantId,
    tracer_session_count: await countProjects(deps, caller.tenantId),
    dataset_count: await countDatasets(deps, caller.tenantId),
    repo_count: await deps.countRepos(caller.tenantId),
    annotation_queue_count: 0,
    deployment_count: 0,
    dashboards_count: 0,
    evaluator_count: 0,
  }))

  serve(app, contract.workspaces.organization, async ({ caller }) => {
    const { organization_id, display_name, created_at } = await selectWorkspace(db, caller.tenantId)
    return { id: organization_id, display_name, created_at, is_personal: false }
  })

  serve(app, contract.workspaces.whoAmI, async ({ caller }) => ({
    tenant_id: caller.tenantId,
    organization_id: (await selectWorkspace(db, caller.tenantId)).organization_id,
    user_id: caller.kind === 'person' ? caller.actorId : null,
    ls_user_id: caller.kind === 'person' ? caller.actorId : null,
    user_email: await deps.emailOf(caller),
  }))
}
