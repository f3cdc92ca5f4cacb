export { serverAdminRoutes } from './routes.ts'
