export { resolveRoutes } from './resolve-id.ts'
