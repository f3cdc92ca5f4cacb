export { datasetSharingRoutes } from './routes.ts'
