export { appPath } from './present.ts'
export { runRoutes } from './routes.ts'
