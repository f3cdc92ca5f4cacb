export { workspaceDeletionRoutes } from './routes.ts'
