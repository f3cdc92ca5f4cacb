import { parseUuid } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { RunShareRow } from '../../../storage/relational/tables/sharing.ts'
import { selectByRuns, selectByToken, selectSharedTraces } from './store.ts'

export type { DatasetShareRow, RunShareRow, ThreadShareRow } from '../../../storage/relational/tables/sharing.ts'
export {
  datasetShareOf,
  findDatasetShare,
  revokeDatasetTokens,
  selectDatasetShares,
  shareDataset,
  unshareDataset,
} from './dataset-shares.ts'
export { giveToken, type SharedRun } from './give-token.ts'
export { revokeGone } from './revoke-gone.ts'
export { sharePages } from './share-pages.ts'
export { revokeAll, revokeProjects, revokeRuns, revokeTokens, selectShares } from './store.ts'
export {
  findThreadShare,
  revokeThreadsOfProjects,
  revokeThreadTokens,
  selectThreadShares,
  shareThread,
  type ThreadKey,
  threadTokenOf,
  unshareThread,
} from './thread-shares.ts'

type Rows = Pick<Deps, 'relational'>

/** Tokens by run id; runs that are not shared are absent. */
export async function shareTokensOf(
  { relational }: Rows,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectByRuns(relational.db, tenantId, runIds)
  return new Map(rows.map((row) => [row.run_id, row.share_token]))
}

/** Traces of a project of which a run is open to the public. */
export function sharedTracesOf({ relational }: Rows, tenantId: string, projectId: string): Promise<string[]> {
  return selectSharedTraces(relational.db, tenantId, projectId)
}

/** What a token opens; `undefined` for one that is unknown, revoked or no token at all. */
export async function findShare({ relational }: Rows, token: string): Promise<RunShareRow | undefined> {
  const parsed = parseUuid(token)
  return parsed === undefined ? undefined : await selectByToken(relational.db, parsed)
}
