import {
  ApiError,
  contract,
  findTagNameProblem,
  isAtLeast,
  type PromptEnvironment,
  type PromptEnvironments,
  type PromptEnvironmentsUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { type App, serve } from '../../http/serve.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type EnvironmentsRow, promptEnvironments } from '../../storage/relational/tables/prompts.ts'
import { lockWorkspace } from '../accounts/workspaces/index.ts'

/** The default of every workspace: protects the tag that programs pull from accidental moves. */
const DEFAULT_ENVIRONMENTS: readonly PromptEnvironment[] = [{ name: 'production', least_role: 'admin' }]

export async function readEnvironments(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
): Promise<PromptEnvironments> {
  const row = await selectEnvironments(relational.db, tenantId)
  return {
    id: tenantId,
    environments: [...(row?.environments ?? DEFAULT_ENVIRONMENTS)],
    updated_at: row?.updated_at ?? null,
    updated_by_name: row?.updated_by_name ?? null,
  }
}

/** @throws ApiError CONFLICT when they are already set, INVALID_REQUEST for an invalid tag name */
export async function createEnvironments(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  environments: readonly PromptEnvironment[],
): Promise<PromptEnvironments> {
  const inserted = await insertEnvironments(deps.relational.db, toRow(deps, caller, environments))
  if (inserted === undefined) {
    throw new ApiError('CONFLICT', 'This workspace already has environments; change them with PATCH.')
  }
  return readEnvironments(deps, caller.tenantId)
}

/**
 * @throws ApiError NOT_FOUND for an id other than the workspace's, INVALID_REQUEST for an invalid tag name, CONFLICT when the
 *   expected environments were changed
 */
export async function changeEnvironments(
  deps: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  id: string,
  { environments, expected }: PromptEnvironmentsUpdate,
): Promise<PromptEnvironments> {
  assertOwnId(caller, id)
  const row = toRow(deps, caller, environments)
  await deps.relational.transaction(async (tx) => {
    // The initial list is no row that could be locked.
    await lockWorkspace(tx, caller.tenantId)
    const before = (await selectEnvironments(tx, caller.tenantId))?.environments ?? DEFAULT_ENVIRONMENTS
    assertExpected('The list of environments', expected, { environments: before })
    await upsertEnvironments(tx, row)
  })
  return readEnvironments(deps, caller.tenantId)
}

/** @throws ApiError NOT_FOUND for an id other than the workspace's */
export async function resetEnvironments(
  deps: Pick<Deps, 'relational'>,
  caller: Caller,
  id: string,
): Promise<PromptEnvironments> {
  assertOwnId(caller, id)
  await deleteEnvironments(deps.relational.db, caller.tenantId)
  return readEnvironments(deps, caller.tenantId)
}

function toRow({ clock }: Pick<Deps, 'clock'>, caller: Caller, environments: readonly PromptEnvironment[]) {
  for (const { name } of environments) assertTagName(name)
  return {
    tenant_id: caller.tenantId,
    environments,
    updated_at: timeOfEpochMs(clock()),
    updated_by_name: caller.actorName ?? null,
  }
}

function assertOwnId({ tenantId }: Caller, id: string): void {
  if (id !== tenantId) throw new ApiError('NOT_FOUND', 'Environments not found')
}

/**
 * Checks that the caller may create, move and remove all of these tags.
 *
 * @throws ApiError FORBIDDEN with the protected tag and the required role
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

/** @throws ApiError INVALID_REQUEST for a name that is invalid or ambiguous in a reference */
export function assertTagName(name: string): void {
  const problem = findTagNameProblem(name)
  if (problem !== undefined) throw new ApiError('INVALID_REQUEST', problem)
}

async function selectEnvironments(db: Database, tenantId: string): Promise<EnvironmentsRow | undefined> {
  const [row] = await db.select().from(promptEnvironments).where(eq(promptEnvironments.tenant_id, tenantId))
  return row
}

/** @returns undefined when the workspace already has environments */
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

export function promptEnvironmentRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock'>): void {
  const { promptEnvironments } = contract

  serve(app, promptEnvironments.read, ({ caller }) => readEnvironments(deps, caller.tenantId))

  serve(app, promptEnvironments.create, ({ caller, body }) => createEnvironments(deps, caller, body.environments))

  serve(app, promptEnvironments.update, ({ caller, params, body }) => changeEnvironments(deps, caller, params.id, body))

  serve(app, promptEnvironments.delete, ({ caller, params }) => resetEnvironments(deps, caller, params.id))
}
