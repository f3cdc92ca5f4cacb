export {
  appendCommit,
  assertParentIsLatest,
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
  type LockedHistory,
} from './change-history.ts'
export type { PromptEvent, PromptEventListener } from './events.ts'
export { hashManifest } from './manifest.ts'
export { getCommit } from './resolve-commit.ts'
export { promptCommitRoutes } from './routes.ts'
export { type CommitRow, readManifest } from './store.ts'
