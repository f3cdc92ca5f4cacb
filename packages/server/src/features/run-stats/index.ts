export { runStatsRoutes } from './routes.ts'
