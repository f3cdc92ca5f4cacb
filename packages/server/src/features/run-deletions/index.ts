export { runDeletionRoutes } from './routes.ts'
