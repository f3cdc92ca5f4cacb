import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'
import { selectWorkspaceForUpdate, updateHandle } from './store.ts'

/**
 * Gives a workspace its public handle. Public prompts are called by it, so it does not change any more.
 *
 * @throws ApiError INVALID_REQUEST when the workspace has another one, CONFLICT when another workspace has this one
 */
export function setHandle(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  handle: string,
): Promise<WorkspaceRow> {
  return relational.transaction(async (tx) => {
    const before = await selectWorkspaceForUpdate(tx, tenantId)
    if (before.tenant_handle === handle) return before
    if (before.tenant_handle !== null) {
      throw new ApiError(
        'INVALID_REQUEST',
        `The handle of this workspace is ${before.tenant_handle}; it cannot be changed.`,
      )
    }
    const row = await updateHandle(tx, tenantId, handle)
    if (row === undefined) throw new ApiError('CONFLICT', `The handle ${handle} is taken.`)
    return row
  })
}
