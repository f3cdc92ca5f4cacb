export { datasetSearchRoutes } from './similar-examples.ts'
