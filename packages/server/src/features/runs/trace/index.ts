export { readSpine } from './read-spine.ts'
export { traceRoutes } from './routes.ts'
