export { type QueueItemRow, queueItems } from '../../../storage/relational/tables/annotation-queue-items.ts'
export { queuedOf } from './queued-of.ts'
export { removeGoneItems, removeItemsOfProjects } from './remove-items.ts'
