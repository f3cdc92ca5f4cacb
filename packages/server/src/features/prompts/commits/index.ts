import type { Deps } from '../../../deps.ts'
import { selectManifests } from './store.ts'

export {
  announce,
  appendCommit,
  changeHistory,
  checkParent,
  type HistoryDeps,
  type LockedHistory,
} from './change-history.ts'
export type { HubEvent, OnCommit } from './doors.ts'
export { hashManifest } from './hash-manifest.ts'
export { resolveCommit } from './resolve-commit.ts'
export { promptCommitRoutes } from './routes.ts'
export type { CommitRow } from './store.ts'

/** A commit's manifest as the JSON text that came; undefined when its repo is gone. */
export async function readManifest(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  commitId: string,
): Promise<string | undefined> {
  return (await selectManifests(relational.db, tenantId, [commitId])).get(commitId)
}
