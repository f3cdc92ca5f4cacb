import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { removeItemsOfProjects } from '../queue-items/index.ts'
import { revokeProjects } from '../share-tokens/index.ts'
import { deleteRunsOf } from './delete-runs.ts'
import { DEFAULT_PROJECT, forgetProjects, newProject } from './resolve-project.ts'
import { deleteProjects, insertProject, selectIds } from './store.ts'

/**
 * Deletes projects with their runs, attachments' names, feedback, share tokens and places in annotation queues. A deleted
 * `default` project is created anew, empty: clients learn their workspace from the first project listed.
 *
 * @throws ApiError NOT_FOUND when none of the ids is known
 */
export async function removeProjects(
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const { db } = deps.relational
  const known = await selectIds(db, tenantId, { ids })
  if (known.length === 0) throw new ApiError('NOT_FOUND', 'Session not found')
  // Runs first: should we die in between, the project is still there to be deleted again.
  await deleteRunsOf(deps, tenantId, known)
  await deps.relational.transaction(async (tx) => {
    await revokeProjects(tx, tenantId, known)
    await removeItemsOfProjects(tx, tenantId, known)
    await deleteProjects(tx, tenantId, known)
    await insertProject(tx, newProject(deps, tenantId, DEFAULT_PROJECT))
  })
  forgetProjects(deps.relational)
}
