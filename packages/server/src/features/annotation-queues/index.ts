export { annotationQueueRoutes } from './routes.ts'
