import { ApiError, contract, type Role, type Settings, type Workspace, type WorkspaceStats } from '@touchstone/contract'
import { type App, type Caller, serve } from '../../../http/serve.ts'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'
import { countDatasets } from '../../datasets/index.ts'
import { countProjects } from '../../projects/index.ts'
import { selectWorkspace, selectWorkspaces } from './store.ts'
import { type CreateWorkspaceDeps, createWorkspace, renameWorkspace, setHandle } from './workspaces.ts'

export type WorkspaceDeps = CreateWorkspaceDeps & {
  /** A person's role by workspace. */
  readonly selectRoles: (personId: string) => Promise<ReadonlyMap<string, Role>>
  /** Called when a workspace was created, to clear cached sign-ins. */
  readonly forgetSignIns: () => void
  /** Number of prompts, agents and skills of a workspace. Passed in, because the feature `prompts` imports this one. */
  readonly countRepos: (tenantId: string) => Promise<number>
  /** Passed in, because API keys import this feature. */
  readonly countApiKeys: (tenantId: string) => Promise<number>
  readonly countFeedbackKeys: (tenantId: string) => Promise<number>
  /** The address of a person; null for a key. */
  readonly findEmail: (caller: Caller) => Promise<string | null>
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
    presentSettings(await renameWorkspace(deps, caller.tenantId, body)),
  )

  serve(app, contract.workspaces.create, async ({ caller, body }) => {
    const row = await createWorkspace(deps, caller, body)
    deps.forgetSignIns()
    return presentWorkspace(row, 'admin')
  })

  serve(app, contract.workspaces.update, async ({ caller, params, body }) => {
    const roles = await findRoles(deps, caller)
    const role = roles === undefined ? 'admin' : roles.get(params.id)
    if (role === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
    if (role !== 'admin') throw new ApiError('FORBIDDEN', 'Only admins of a workspace may rename it.')
    return presentWorkspace(await renameWorkspace(deps, params.id, body), role)
  })

  // Clients list secrets before they use one; this server stores none.
  serve(app, contract.workspaces.secrets, async () => [])

  for (const route of [contract.workspaces.list, contract.workspaces.tenants]) {
    serve(app, route, async ({ caller }) => {
      const roles = await findRoles(deps, caller)
      const rows = await selectWorkspaces(db, roles && [...roles.keys()])
      return rows.map((row) => presentWorkspace(row, roles?.get(row.id) ?? 'admin'))
    })
  }

  serve(app, contract.workspaces.stats, ({ caller }) => countContent(deps, caller.tenantId))

  serve(app, contract.workspaces.organization, async ({ caller }) => {
    const { organization_id, display_name, created_at } = await selectWorkspace(db, caller.tenantId)
    return { id: organization_id, display_name, created_at, is_personal: false }
  })

  serve(app, contract.workspaces.whoAmI, async ({ caller }) => ({
    tenant_id: caller.tenantId,
    organization_id: (await selectWorkspace(db, caller.tenantId)).organization_id,
    user_id: caller.kind === 'person' ? caller.actorId : null,
    ls_user_id: caller.kind === 'person' ? caller.actorId : null,
    user_email: await deps.findEmail(caller),
  }))
}

async function countContent(deps: WorkspaceDeps, tenantId: string): Promise<WorkspaceStats> {
  const [projects, datasets, repos, apiKeys, feedbackKeys] = await Promise.all([
    countProjects(deps, tenantId),
    countDatasets(deps, tenantId),
    deps.countRepos(tenantId),
    deps.countApiKeys(tenantId),
    deps.countFeedbackKeys(tenantId),
  ])
  return {
    tenant_id: tenantId,
    tracer_session_count: projects.all,
    dataset_count: datasets,
    repo_count: repos,
    annotation_queue_count: 0,
    deployment_count: 0,
    dashboards_count: 0,
    evaluator_count: 0,
    experiment_count: projects.experiments,
    api_key_count: apiKeys,
    feedback_key_count: feedbackKeys,
  }
}

/** Roles of the caller by workspace; undefined on an open server, where every caller is an admin of all. */
async function findRoles(
  deps: Pick<WorkspaceDeps, 'selectRoles'>,
  caller: Caller,
): Promise<ReadonlyMap<string, Role> | undefined> {
  if (caller.kind === 'local') return undefined
  return caller.kind === 'person' ? deps.selectRoles(caller.actorId) : new Map([[caller.tenantId, caller.role]])
}

function presentSettings(row: WorkspaceRow): Settings {
  return {
    id: row.id,
    display_name: row.display_name,
    created_at: row.created_at,
    tenant_handle: row.tenant_handle,
  }
}

function presentWorkspace(row: WorkspaceRow, role: Role): Workspace {
  return {
    id: row.id,
    organization_id: row.organization_id,
    created_at: row.created_at,
    display_name: row.display_name,
    is_personal: false,
    is_deleted: false,
    tenant_handle: row.tenant_handle,
    data_plane_url: null,
    read_only: false,
    role_id: null,
    role_name: ROLE_NAMES[role],
    permissions: [],
  }
}

const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', member: 'Member', admin: 'Admin' }
