export { removeTenantExports } from './export-file.ts'
export { bulkJobRoutes } from './routes.ts'
