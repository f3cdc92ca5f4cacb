export { sharePages, sharingRoutes } from './routes.ts'
export { selectRunShares, selectSharedTraceIds, shareRun } from './share-links.ts'
export { findRun, type OpenShare, openShare, readSharedViews } from './shared-runs.ts'
export { listSharedThread, readThreadToken, shareThread, unshareThread } from './threads.ts'
