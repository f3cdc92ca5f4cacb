export { removeExportsOf } from './remove-exports.ts'
export { bulkJobRoutes } from './routes.ts'
