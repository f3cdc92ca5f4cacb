export { evaluatorRoutes } from './routes.ts'
