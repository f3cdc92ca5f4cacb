export { experimentStatisticsRoutes } from './compare-experiments.ts'
