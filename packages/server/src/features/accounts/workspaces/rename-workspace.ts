import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'
import { updateName } from './store.ts'

/** @throws ApiError INVALID_REQUEST when the name holds what no text column can, NOT_FOUND */
export async function renameWorkspace(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  name: string,
): Promise<WorkspaceRow> {
  if (!isStorable(name)) throw new ApiError('INVALID_REQUEST', 'A name cannot hold NUL or broken UTF-16.')
  const row = await updateName(relational.db, tenantId, name)
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
  return row
}
