export { datasetVersionRoutes } from './routes.ts'
