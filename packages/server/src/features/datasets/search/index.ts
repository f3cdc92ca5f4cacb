export { datasetSearchRoutes } from './routes.ts'
