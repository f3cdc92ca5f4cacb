import { ApiError, timeOfEpochMs, type WorkspaceCreate } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'
import { createProject, DEFAULT_PROJECT } from '../../projects/index.ts'
import { defaultWorkspaceId } from './default-workspace.ts'
import {
  countWorkspaces,
  insertWorkspace,
  selectWorkspace,
  selectWorkspaceForUpdate,
  updateHandle,
  updateName,
} from './store.ts'

/** More than anybody needs, so that one person cannot fill the database with them. */
const MAX_WORKSPACES = 1_000

export type CreateWorkspaceDeps = Pick<Deps, 'relational' | 'clock' | 'ids'> & {
  /** Makes a person the admin of a workspace. */
  readonly addAdmin: (tx: Database, tenantId: string, personId: string) => Promise<void>
}

/**
 * Creates a workspace with an empty default project; a person who asks becomes its admin. Two may have one name.
 *
 * @throws ApiError FORBIDDEN for keys, CONFLICT when the handle is taken, INVALID_REQUEST when there are 1,000
 */
export async function createWorkspace(
  deps: CreateWorkspaceDeps,
  caller: Caller,
  { display_name, tenant_handle }: WorkspaceCreate,
): Promise<WorkspaceRow> {
  if (caller.kind === 'key') {
    throw new ApiError('FORBIDDEN', 'A key belongs to one workspace. Sign in to create another one.')
  }
  if (!isStorable(display_name)) throw new ApiError('INVALID_REQUEST', 'A name cannot hold NUL or broken UTF-16.')
  const defaultId = await defaultWorkspaceId(deps)
  const row = await deps.relational.transaction(async (tx) => {
    await selectWorkspaceForUpdate(tx, defaultId)
    if ((await countWorkspaces(tx)) >= MAX_WORKSPACES) {
      throw new ApiError('INVALID_REQUEST', `This server has ${MAX_WORKSPACES} workspaces, and no more are allowed.`)
    }
    const { organization_id } = await selectWorkspace(tx, caller.tenantId)
    const created_at = timeOfEpochMs(deps.clock())
    const unused = { tenant_handle: null, is_default: false, deleted_at: null, deletion_id: null, purged_at: null }
    const row = { ...unused, id: deps.ids(), organization_id, display_name, created_at }
    await insertWorkspace(tx, row)
    if (caller.kind === 'person') await deps.addAdmin(tx, row.id, caller.actorId!)
    if (tenant_handle == null) return row
    const named = await updateHandle(tx, row.id, tenant_handle)
    if (named === undefined) throw new ApiError('CONFLICT', `The handle ${tenant_handle} is taken.`)
    return named
  })
  await createProject(deps, row.id, { body: { name: DEFAULT_PROJECT }, extraText: undefined }, true)
  return row
}

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
