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
  forgetDefaultWorkspace,
  lockWorkspace,
  markDeleted,
  selectWorkspaces,
} from '../../features/accounts/workspaces/index.ts'
import type { Caller } from '../../http/caller.ts'
import type { Job } from '../../jobs/index.ts'
import { joined } from '../../storage/relational/joined.ts'
import { rowsOf } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import { beginRecord } from '../../storage/removals/index.ts'
import type { Purge } from './purge-workspace.ts'

export type DeleteWorkspaceDeps = Pick<Deps, 'relational' | 'clock' | 'ids'> & {
  readonly purge: Job<Purge>
  /** Called when keys and memberships ended: what is remembered of callers is out of date. */
  readonly forgetCallers: () => void
}

/**
 * Deletes a workspace: its keys, members, invites and public links end at once, nobody finds it any more, and a job removes
 * what it holds. Accounts that are left without a workspace end.
 *
 * @returns the id of the record that says how far the job is
 * @throws ApiError NOT_FOUND, also for workspaces that the caller does not belong to; FORBIDDEN for those who are no
 *   admins of it; INVALID_REQUEST for the last workspace, and when the last server administrator would lose their account
 */
export async function deleteWorkspace(deps: DeleteWorkspaceDeps, caller: Caller, id: string): Promise<string> {
  const { relational } = deps
  const [workspace] = (await isVisibleForDeletion(deps, caller, id)) ? await selectWorkspaces(relational.db, [id]) : []
  if (workspace === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  const deletionId = deps.ids()
  await relational.transaction(async (tx) => {
    await lockServer(tx) // one deletion at a time, so that of two workspaces one stays
    await lockWorkspace(tx, id)
    if ((await countWorkspaces(tx)) === 1) throw new ApiError('INVALID_REQUEST', LAST)
    const inside = { ...deps, relational: joined(relational, tx) }
    const subject = `Workspace "${workspace.display_name}"`
    const by = { requestedBy: caller.actorName, requesterId: caller.actorId }
    const shares = await closePublicLinks(tx, id)
    await beginRecord(inside, { id: deletionId, tenantId: id, kind: 'workspace', subject, ...by }, { shares })
    const now = timeOfEpochMs(deps.clock())
    await endAccess(tx, id, now)
    await markDeleted(tx, id, { now, deletionId })
    await deps.purge.send({ tenantId: id }, { tx })
  })
  forgetDefaultWorkspace(deps)
  deps.forgetCallers()
  return deletionId
}

const LAST = 'This is the last workspace of the server, which cannot be deleted. Create another one first.'

/** A key reaches no further than its workspace, also that of a server administrator. */
async function isVisibleForDeletion(
  { relational }: Pick<Deps, 'relational'>,
  caller: Caller,
  id: string,
): Promise<boolean> {
  if (caller.kind === 'local') return true
  if (caller.kind === 'key') return caller.tenantId === id
  if (caller.isServerAdmin) return true
  const member = await selectMember(relational.db, id, caller.actorId!)
  if (member !== undefined && member.role !== 'admin') {
    throw new ApiError('FORBIDDEN', 'Only admins of a workspace and server administrators may delete it.')
  }
  return member !== undefined
}

/** @returns how many links to data there were */
async function closePublicLinks(tx: Database, tenantId: string): Promise<number> {
  const result = await tx.execute(sql`
    with runs as (delete from run_shares where tenant_id = ${tenantId} returning 1),
      threads as (delete from thread_shares where tenant_id = ${tenantId} returning 1),
      datasets as (delete from dataset_shares where tenant_id = ${tenantId} returning 1),
      tokens as (delete from feedback_tokens where tenant_id = ${tenantId} returning 1),
      prompts as (update prompt_repos set is_public = false where tenant_id = ${tenantId} and is_public returning 1)
    select ((select count(*) from runs) + (select count(*) from threads) + (select count(*) from datasets))::int as n`)
  return rowsOf<{ n: number }>(result)[0]!.n
}

async function endAccess(tx: Database, tenantId: string, now: string): Promise<void> {
  for (const table of ['api_keys', 'invites', 'prompt_webhooks']) {
    await tx.execute(sql`delete from ${sql.identifier(table)} where tenant_id = ${tenantId}`)
  }
  const members = (await selectMembers(tx, tenantId)).map(({ id }) => id).toSorted()
  for (const id of members) {
    await updateMembership(tx, tenantId, id, { removed_at: now })
    await removeAccountWithoutWorkspace(tx, id, now)
  }
}
