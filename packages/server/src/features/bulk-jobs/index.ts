export { bulkJobRoutes } from './routes.ts'
