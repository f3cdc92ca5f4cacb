export { findThreads } from '../../features/threads/find-threads.ts'
export { fieldsBehind, presentRunV2, selected } from './present-run.ts'
export { v2Routes } from './routes.ts'
