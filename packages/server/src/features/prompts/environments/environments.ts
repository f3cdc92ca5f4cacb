import {
  ApiError,
  isAtLeast,
  type PromptEnvironment,
  type PromptEnvironments,
  timeOfEpochMs,
} from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type EnvironmentsRow, promptEnvironments } from '../../../storage/relational/tables/prompts.ts'

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
  for (const { name } of environments) assertTagName(name)
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

/**
 * Lets pass whoever may make, move and remove all of these tags.
 *
 * @throws ApiError FORBIDDEN saying which tag is protected, and who may
 */
export async function assertCanMoveTags(
  deps: Pick<Deps, 'relational'>,
  { tenantId, role }: Caller,
  tagNames: readonly string[],
): Promise<void> {
  if (tagNames.length === 0 || isAtLeast(role, 'admin')) return
  const { environments } = await readEnvironments(deps, tenantId)
  const closed = environments.find(({ name, least_role }) => tagNames.includes(name) && !isAtLeast(role, least_role))
  if (closed === undefined) return
  throw new ApiError(
    'FORBIDDEN',
    `The tag ${closed.name} is protected: only ${closed.least_role}s may move it, and you are a ${role}.`,
  )
}

export const TAG_NAME = /^[A-Za-z0-9._-]{1,200}$/

/**
 * @throws ApiError INVALID_REQUEST for a name that cannot stand in a reference, or would be taken for something else
 *   there
 */
export function assertTagName(name: string): void {
  if (!TAG_NAME.test(name)) {
    throw new ApiError('INVALID_REQUEST', 'A tag name has 1 to 200 letters, digits, "-", "_" and ".".')
  }
  if (name === 'latest') throw new ApiError('INVALID_REQUEST', '"latest" is always the newest commit, not a tag.')
  if (/^[0-9a-f]{8,}$/i.test(name)) {
    throw new ApiError('INVALID_REQUEST', `"${name}" could be the beginning of a commit hash, so it is no tag name.`)
  }
}

async function selectEnvironments(db: Database, tenantId: string): Promise<EnvironmentsRow | undefined> {
  const [row] = await db.select().from(promptEnvironments).where(eq(promptEnvironments.tenant_id, tenantId))
  return row
}

/** @returns undefined when the workspace has set some already */
async function insertEnvironments(db: Database, row: EnvironmentsRow): Promise<EnvironmentsRow | undefined> {
  const [inserted] = await db.insert(promptEnvironments).values(row).onConflictDoNothing().returning()
  return inserted
}

async function upsertEnvironments(db: Database, row: EnvironmentsRow): Promise<void> {
  await db.insert(promptEnvironments).values(row).onConflictDoUpdate({ target: promptEnvironments.tenant_id, set: row })
}

async function deleteEnvironments(db: Database, tenantId: string): Promise<void> {
  await db.delete(promptEnvironments).where(eq(promptEnvironments.tenant_id, tenantId))
}
