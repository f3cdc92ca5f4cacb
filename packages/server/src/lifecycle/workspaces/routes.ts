import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import { getDeletion } from '../sweep/index.ts'
import { type DeleteWorkspaceDeps, deleteWorkspace } from './delete-workspace.ts'
import { purgeDeleted } from './purge-deleted.ts'
import type { PurgeDeps } from './purge-workspace.ts'

export type WorkspaceDeletionDeps = Omit<DeleteWorkspaceDeps, 'purge'> &
  PurgeDeps & { readonly jobs: Parameters<typeof purgeDeleted>[0]['jobs'] }

export function workspaceDeletionRoutes(app: App, deps: WorkspaceDeletionDeps): void {
  const purge = purgeDeleted(deps)

  serve(app, contract.workspaces.delete, async ({ caller, params }) => {
    const deletionId = await deleteWorkspace({ ...deps, purge }, caller, params.id)
    return getDeletion(deps.relational.db, { ...caller, tenantId: params.id }, deletionId)
  })
}
