import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { removeItemsOfProjects } from '../../features/annotation-queues/items/index.ts'
import { DEFAULT_PROJECT, forgetProjects, newProject } from '../../features/projects/resolve-project.ts'
import { deleteProjects, insertProject, selectIds, selectNames } from '../../features/projects/store.ts'
import { revokeProjects, revokeThreadsOfProjects } from '../../features/sharing/tokens/index.ts'
import { type DeletionRecord, recordDeletion } from '../sweep/index.ts'
import { deleteRunsOf } from './delete-runs.ts'

type RemoveDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

/**
 * Deletes projects with their runs, attachments, feedback, share tokens and places in annotation queues. A deleted
 * `default` project is created anew, empty: clients learn their workspace from the first project listed.
 *
 * @param requestedBy  name of the person or key, for the record of the deletion
 * @throws ApiError NOT_FOUND when none of the ids is known
 */
export async function removeProjects(
  deps: RemoveDeps,
  tenantId: string,
  ids: readonly string[],
  requestedBy: string | undefined,
): Promise<void> {
  const { db } = deps.relational
  const known = await selectIds(db, tenantId, { ids })
  if (known.length === 0) throw new ApiError('NOT_FOUND', 'Session not found')
  const names = await selectNames(db, tenantId, known)
  const subject = `${names.length === 1 ? 'Project' : 'Projects'} ${names.map((name) => `"${name}"`).join(', ')}`
  await recordDeletion(deps, { tenantId, kind: 'project', subject, requestedBy }, async (record) => {
    await record.begin()
    await removeKnown(deps, tenantId, known, record)
  })
  forgetProjects(deps.relational)
}

async function removeKnown(deps: RemoveDeps, tenantId: string, known: readonly string[], record: DeletionRecord) {
  // Runs first: should we die in between, the project is still there to be deleted again.
  await deleteRunsOf(deps, tenantId, known, record)
  const removed = await deps.relational.transaction(async (tx) => {
    const runShares = await revokeProjects(tx, tenantId, known)
    const shares = runShares + (await revokeThreadsOfProjects(tx, tenantId, known))
    const queue_items = await removeItemsOfProjects(tx, tenantId, known)
    await deleteProjects(tx, tenantId, known)
    await insertProject(tx, newProject(deps, tenantId, DEFAULT_PROJECT))
    return { shares, queue_items }
  })
  await record.count(removed)
  record.foundLeft((await selectIds(deps.relational.db, tenantId, { ids: known })).length)
}
