import type { Deps } from '../../deps.ts'
import { selectWorkspace } from './store.ts'

export { defaultWorkspaceId } from './default-workspace.ts'
export { workspaceRoutes } from './routes.ts'
export { workspaces } from './tables.ts'

/** The public handle of a workspace; null until it is set. */
export async function handleOf({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string | null> {
  return (await selectWorkspace(relational.db, tenantId)).tenant_handle
}
