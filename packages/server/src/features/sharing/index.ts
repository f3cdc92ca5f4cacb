export { findRun, type OpenShare, openShare } from './open-share.ts'
export { readSharedViews } from './read-shared-runs.ts'
export { sharingRoutes } from './routes.ts'
