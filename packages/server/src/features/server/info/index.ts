export { infoRoutes } from './routes.ts'
