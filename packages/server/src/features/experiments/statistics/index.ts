export { experimentStatisticsRoutes } from './routes.ts'
