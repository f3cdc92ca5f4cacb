export { compareExperiments, experimentStatisticsRoutes } from './compare-experiments.ts'
