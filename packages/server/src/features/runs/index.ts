export { appPath } from './present.ts'
export { runRoutes } from './routes.ts'
export { whereOf } from './where.ts'
