export { addItems } from './add-items.ts'
export { getQueue } from './get-queue.ts'
export { annotationQueueRoutes } from './routes.ts'
