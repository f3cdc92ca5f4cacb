import { timeOfEpochMs } from '@touchstone/contract'
import { markPurged, selectDeleted, type WorkspaceRow } from '../../features/accounts/workspaces/index.ts'
import type { Job, Jobs } from '../../jobs/index.ts'
import { recordDeletion } from '../sweep/index.ts'
import { countRowsOf, type PurgeDeps, purgeWorkspace } from './purge-workspace.ts'

export interface Purge {
  readonly tenantId: string
}

const HALF_AN_HOUR_SECONDS = 1_800
const DAY_MS = 86_400_000

/**
 * Defines the job that removes what deleted workspaces hold. It goes on after a crash, and looks again for a day: requests
 * that were under way when a workspace was deleted may still have stored something.
 */
export function purgeDeleted(deps: PurgeDeps & { readonly jobs: Jobs }): Job<Purge> {
  const { clock } = deps
  const { db } = deps.relational
  const selectOpen = () => selectDeleted(db, timeOfEpochMs(clock() - DAY_MS))

  const purge = deps.jobs.define<Purge>(
    'workspace-purge',
    async ({ tenantId }) => {
      const workspace = (await selectOpen()).find(({ id }) => id === tenantId)
      if (workspace !== undefined && (await isAnythingLeft(deps, workspace))) await purgeRecorded(deps, workspace)
    },
    { expireInSeconds: 3_600 },
  )
  deps.jobs.define(
    'workspace-purge-again',
    async () => {
      for (const { id } of await selectOpen()) await purge.send({ tenantId: id })
    },
    { everySeconds: HALF_AN_HOUR_SECONDS },
  )
  return purge
}

async function isAnythingLeft(deps: PurgeDeps, { id, purged_at }: WorkspaceRow): Promise<boolean> {
  return purged_at === null || (await countRowsOf(deps, id)) > 0
}

/** Each time adds to the record that was begun when the workspace was deleted. */
async function purgeRecorded(deps: PurgeDeps, { id, deletion_id }: WorkspaceRow): Promise<void> {
  const about = {
    id: deletion_id!,
    tenantId: id,
    kind: 'workspace',
    subject: 'Workspace',
    requestedBy: undefined,
  } as const
  await recordDeletion(deps, about, async (record) => {
    await record.begin()
    await purgeWorkspace(deps, id, record)
  })
  await markPurged(deps.relational.db, id, timeOfEpochMs(deps.clock()))
}
