export { type WorkspaceRow, workspaces } from '../../../storage/relational/tables/accounts.ts'
export { workspaceRoutes } from './routes.ts'
export {
  countWorkspaces,
  markDeleted,
  markPurged,
  selectDeleted,
  selectWorkspaces,
  updateWorkspaceName,
} from './store.ts'
export { existsWorkspace, getWorkspaceName, lockWorkspace, selectHandle } from './workspaces.ts'
