export { AlertEngine } from './engine/alert-engine.ts'
export { removeProjectsFromAlerts } from './lifecycle.ts'
export { deletePointsOf } from './point-store.ts'
export { alertRoutes } from './routes.ts'
