import { ApiError, timeOfEpochMs, type WorkspaceCreate, type WorkspaceUpdate } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { assertExpected } from '../../../storage/relational/expected.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { WorkspaceRow } from '../../../storage/relational/tables/accounts.ts'
import { createProject, DEFAULT_PROJECT } from '../../projects/index.ts'
import { selectDefaultWorkspaceId } from '../server-ids.ts'
import {
  countWorkspaces,
  insertWorkspace,
  selectWorkspace,
  selectWorkspaceForUpdate,
  selectWorkspaces,
  updateHandle,
  updateWorkspaceName,
} from './store.ts'

/** A limit that protects the database from one person. */
const MAX_WORKSPACES = 1_000

export type CreateWorkspaceDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  /** Makes a person the admin of a workspace. */
  readonly addAdmin: (tx: Database, tenantId: string, personId: string) => Promise<void>
}

/**
 * Creates a workspace with an empty default project. A calling person becomes its admin. Names need not be unique.
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
  const row = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, await selectDefaultWorkspaceId(tx))
    if ((await countWorkspaces(tx)) >= MAX_WORKSPACES) {
      throw new ApiError('INVALID_REQUEST', `This server has ${MAX_WORKSPACES} workspaces, and no more are allowed.`)
    }
    const { organization_id } = await selectWorkspace(tx, caller.tenantId)
    const created_at = timeOfEpochMs(deps.clock())
    const unused = { tenant_handle: null, is_default: false, deleted_at: null, deletion_id: null, purged_at: null }
    const row = { ...unused, id: deps.ids(), organization_id, display_name, created_at }
    await insertWorkspace(tx, row)
    if (caller.kind === 'person') await deps.addAdmin(tx, row.id, caller.actorId)
    if (tenant_handle == null) return row
    const named = await updateHandle(tx, row.id, tenant_handle)
    if (named === undefined) throw new ApiError('CONFLICT', `The handle ${tenant_handle} is taken.`)
    return named
  })
  await createProject(deps, row.id, { body: { name: DEFAULT_PROJECT }, extraText: undefined }, true)
  return row
}

/** @throws ApiError NOT_FOUND, or CONFLICT when the expected name was changed */
export function renameWorkspace(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  { display_name, expected }: WorkspaceUpdate,
): Promise<WorkspaceRow> {
  return relational.transaction(async (tx) => {
    const before = await selectWorkspaceForUpdate(tx, tenantId)
    assertExpected('The workspace', expected, { display_name: before.display_name })
    const row = await updateWorkspaceName(tx, tenantId, display_name)
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Workspace not found')
    return row
  })
}

/**
 * Sets the public handle of a workspace. It is permanent, because it is part of the names of public prompts.
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

export async function existsWorkspace({ relational }: Pick<Deps, 'relational'>, id: string): Promise<boolean> {
  return (await selectWorkspaces(relational.db, [id])).length > 0
}

/** The public handle of a workspace; null until it is set. */
export async function selectHandle({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string | null> {
  return (await selectWorkspace(relational.db, tenantId)).tenant_handle
}

export async function getWorkspaceName({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string> {
  return (await selectWorkspace(relational.db, tenantId)).display_name
}

/** Allows one transaction at a time for this workspace. */
export async function lockWorkspace(tx: Database, tenantId: string): Promise<void> {
  await selectWorkspaceForUpdate(tx, tenantId)
}
