import { queueRoutes } from './annotation-queues/queue-routes.ts'
import { queueRunRoutes } from './annotation-queues/run-routes.ts'

export * from './annotation-queues/item-routes.ts'
export * from './annotation-queues/items.ts'
export * from './annotation-queues/queues.ts'
export * from './annotation-queues/runs.ts'

export const annotationQueueRoutes = { ...queueRoutes, ...queueRunRoutes }
