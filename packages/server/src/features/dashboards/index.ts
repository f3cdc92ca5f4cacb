export { dashboardRoutes } from './dashboards.ts'
export { savedViewRoutes } from './saved-views.ts'
