import { ApiError, type PromptEnvironment, type PromptEnvironments, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { checkTagName } from './check-tag-name.ts'
import { deleteEnvironments, insertEnvironments, selectEnvironments, upsertEnvironments } from './store.ts'

/** What every workspace begins with: the name that programs ask for is not moved by accident. */
const FIRST: readonly PromptEnvironment[] = [{ name: 'production', least_role: 'admin' }]

export async function readEnvironments(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
): Promise<PromptEnvironments> {
  const row = await selectEnvironments(relational.db, tenantId)
  return {
    id: tenantId,
    environments: [...(row?.environments ?? FIRST)],
    updated_at: row?.updated_at ?? null,
    updated_by_name: row?.updated_by_name ?? null,
  }
}

/** @throws ApiError CONFLICT where they are set already, INVALID_REQUEST for a name that no tag can have */
export async function createEnvironments(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  environments: readonly PromptEnvironment[],
): Promise<PromptEnvironments> {
  const inserted = await insertEnvironments(deps.relational.db, rowOf(deps, caller, environments))
  if (inserted === undefined) {
    throw new ApiError('CONFLICT', 'The environments of this workspace are set already; change them by PATCH.')
  }
  return readEnvironments(deps, caller.tenantId)
}

/** @throws ApiError NOT_FOUND for an id that is not the workspace's, INVALID_REQUEST for a name that no tag can have */
export async function changeEnvironments(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  id: string,
  environments: readonly PromptEnvironment[],
): Promise<PromptEnvironments> {
  insistOnOwn(caller, id)
  await upsertEnvironments(deps.relational.db, rowOf(deps, caller, environments))
  return readEnvironments(deps, caller.tenantId)
}

/** @throws ApiError NOT_FOUND for an id that is not the workspace's */
export async function resetEnvironments(
  deps: Pick<Deps, 'relational'>,
  caller: Caller,
  id: string,
): Promise<PromptEnvironments> {
  insistOnOwn(caller, id)
  await deleteEnvironments(deps.relational.db, caller.tenantId)
  return readEnvironments(deps, caller.tenantId)
}

function rowOf({ clock }: Pick<Deps, 'clock'>, caller: Caller, environments: readonly PromptEnvironment[]) {
  for (const { name } of environments) checkTagName(name)
  return {
    tenant_id: caller.tenantId,
    environments,
    updated_at: timeOfEpochMs(clock()),
    updated_by_name: caller.actorName ?? null,
  }
}

function insistOnOwn({ tenantId }: Caller, id: string): void {
  if (id !== tenantId) throw new ApiError('NOT_FOUND', 'Environments not found')
}
