export { deleteProjects } from './delete-projects.ts'
export { deleteRuns } from './delete-runs.ts'
export { lifecycleRoutes } from './routes.ts'
