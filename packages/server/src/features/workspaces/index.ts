export { defaultWorkspaceId } from './default-workspace.ts'
export { workspaceRoutes } from './routes.ts'
