export { queuedOf } from './queued-of.ts'
export { removeGoneItems, removeItemsOfProjects } from './remove-items.ts'
export { type QueueItemRow, queueItems } from './tables.ts'
