export {
  appendCommit,
  assertParentIsLatest,
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
  type LockedHistory,
  type PromptEvent,
  type PromptEventListener,
} from './change-history.ts'
export { hashManifest } from './manifest.ts'
export { getCommit } from './pull-commit.ts'
export { promptCommitRoutes } from './routes.ts'
export { type CommitRow, readManifest, selectCommitByTag } from './store.ts'
