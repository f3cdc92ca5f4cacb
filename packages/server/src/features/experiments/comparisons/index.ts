export { listComparisons } from './list-comparisons.ts'
export { comparativeExperimentRoutes } from './routes.ts'
