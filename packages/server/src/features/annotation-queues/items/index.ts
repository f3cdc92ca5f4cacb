export { type QueueItemRow, queueItems } from '../../../storage/relational/tables/annotation-queues.ts'
export { selectQueuedItems } from './queued-of.ts'
export { removeGoneItems, removeItemsOfProjects } from './remove-items.ts'
