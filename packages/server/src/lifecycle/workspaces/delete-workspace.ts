import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import {
  lockServer,
  removeAccountWithoutWorkspace,
  selectMember,
  selectMembers,
  updateMembership,
} from '../../features/accounts/index.ts'
import {
  countWorkspaces,
  lockWorkspace,
  markDeleted,
  selectWorkspaces,
} from '../../features/accounts/workspaces/index.ts'
import { forgetProviders } from '../../features/model-providers/index.ts'
import type { Caller } from '../../http/serve.ts'
import type { Job } from '../../jobs/open-jobs.ts'
import { beginRecord } from '../../storage/record-deletion.ts'
import { type Database, withTransaction } from '../../storage/relational/port.ts'
import { endPublicAccess } from '../../storage/relational/public-links.ts'
import type { Purge } from './purge-workspace.ts'

export type DeleteWorkspaceDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  readonly purge: Job<Purge>
  /** Clears cached callers and the cached default workspace. */
  readonly forgetCallers: () => void
}

/**
 * Deletes a workspace: its keys, members, invites and public links end at once, and a job removes its data. Accounts
 * without another workspace end.
 *
 * @returns id of the deletion record, which shows the progress of the job
 * @throws ApiError NOT_FOUND, also for a workspace that the caller does not belong to; FORBIDDEN for a member who is
 *   not an admin; INVALID_REQUEST for the last workspace, and when the last server administrator would lose their
 *   account
 */
export async function deleteWorkspace(deps: DeleteWorkspaceDeps, caller: Caller, id: string): Promise<string> {
  const { relational } = deps
  const [workspace] = (await canDelete(deps, caller, id)) ? await selectWorkspaces(relational.db, [id]) : []
  if (workspace === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  const deletionId = deps.ids()
  await relational.transaction(async (tx) => {
    await lockServer(tx) // one deletion at a time, so that one of two workspaces stays
    await lockWorkspace(tx, id)
    if ((await countWorkspaces(tx)) === 1) throw new ApiError('INVALID_REQUEST', LAST)
    const inside = { ...deps, relational: withTransaction(relational, tx) }
    const subject = `Workspace "${workspace.display_name}"`
    const by = { requestedBy: caller.actorName, requesterId: caller.actorId }
    const shares = await endPublicAccess(tx, id)
    await beginRecord(inside, { id: deletionId, tenantId: id, kind: 'workspace', subject, ...by }, { shares })
    const now = timeOfEpochMs(deps.clock())
    await endAccess(tx, id, now)
    await markDeleted(tx, id, { now, deletionId })
    await deps.purge.send({ tenantId: id }, { tx })
  })
  deps.forgetCallers()
  forgetProviders(deps)
  return deletionId
}

const LAST = 'This is the last workspace of the server, which cannot be deleted. Create another one first.'

/** A key has access to its own workspace only, even the key of a server administrator. */
async function canDelete({ relational }: Pick<Deps, 'relational'>, caller: Caller, id: string): Promise<boolean> {
  if (caller.kind === 'local') return true
  if (caller.kind === 'key') return caller.tenantId === id
  if (caller.isServerAdmin) return true
  const member = await selectMember(relational.db, id, caller.actorId)
  if (member !== undefined && member.role !== 'admin') {
    throw new ApiError('FORBIDDEN', 'Only admins of a workspace and server administrators may delete it.')
  }
  return member !== undefined
}

async function endAccess(tx: Database, tenantId: string, now: string): Promise<void> {
  for (const table of ['api_keys', 'invites', 'prompt_webhooks', 'model_providers', 'notification_channels']) {
    await tx.execute(sql`delete from ${sql.identifier(table)} where tenant_id = ${tenantId}`)
  }
  const members = (await selectMembers(tx, tenantId)).map(({ id }) => id).toSorted()
  for (const id of members) {
    await updateMembership(tx, tenantId, id, { removed_at: now })
    await removeAccountWithoutWorkspace(tx, id, now)
  }
}
