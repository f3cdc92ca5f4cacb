export { deleteRuns } from './delete-runs.ts'
export { runDeletionRoutes } from './routes.ts'
