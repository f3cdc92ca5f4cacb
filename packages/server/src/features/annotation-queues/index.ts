export { addItems } from './add-items.ts'
export { removeGoneItems, removeItemsOfProjects, selectQueuedItems } from './change-items.ts'
export { annotationQueueRoutes } from './routes.ts'
export { getQueue, selectQueue } from './store.ts'
