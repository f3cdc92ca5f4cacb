export { readTree } from './read-tree.ts'
export { traceRoutes } from './routes.ts'
