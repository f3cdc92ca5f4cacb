import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { selectWorkspace, selectWorkspaceForUpdate, selectWorkspaces, updateName } from './store.ts'

export { type WorkspaceRow, workspaces } from '../../../storage/relational/tables/accounts.ts'
export { defaultWorkspaceId, forgetDefaultWorkspace } from './default-workspace.ts'
export { workspaceRoutes } from './routes.ts'
export { countWorkspaces, markDeleted, markPurged, selectDeleted, selectWorkspaces } from './store.ts'

export async function existsWorkspace({ relational }: Pick<Deps, 'relational'>, id: string): Promise<boolean> {
  return (await selectWorkspaces(relational.db, [id])).length > 0
}

/** The public handle of a workspace; null until it is set. */
export async function selectHandle({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string | null> {
  return (await selectWorkspace(relational.db, tenantId)).tenant_handle
}

export async function getWorkspaceName({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string> {
  return (await selectWorkspace(relational.db, tenantId)).display_name
}

/** Lets one transaction at a time go on for this workspace. */
export async function lockWorkspace(tx: Database, tenantId: string): Promise<void> {
  await selectWorkspaceForUpdate(tx, tenantId)
}

export async function renameWorkspaceIn(tx: Database, tenantId: string, name: string): Promise<void> {
  await updateName(tx, tenantId, name)
}
