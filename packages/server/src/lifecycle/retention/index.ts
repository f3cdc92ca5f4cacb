export { retentionRoutes } from './routes.ts'
