export { removeTenantExports } from './export-runs.ts'
export { bulkJobRoutes } from './routes.ts'
