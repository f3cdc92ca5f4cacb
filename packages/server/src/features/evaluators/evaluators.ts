import {
  ApiError,
  type EvaluatorDefinition,
  type EvaluatorKind,
  MAX_EVALUATOR_VERSIONS,
  MAX_SAVED_EVALUATORS,
  type SavedEvaluator,
  type SavedEvaluatorCreate,
  type SavedEvaluatorUpdate,
  type SavedEvaluatorVersion,
  type SavedEvaluatorVersionCreate,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, count, desc, eq, inArray, ne, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import {
  type SavedEvaluatorVersionRow,
  savedEvaluators,
  savedEvaluatorVersions,
} from '../../storage/relational/tables/saved-evaluators.ts'

export type EvaluatorDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

interface EvaluatorSearch {
  readonly kind?: EvaluatorKind | undefined
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** A page of evaluators by name, and their total number. */
export async function listSavedEvaluators(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  { kind, search, offset, limit }: EvaluatorSearch,
): Promise<{ evaluators: SavedEvaluator[]; total: number }> {
  const { name, description } = savedEvaluators
  const where = and(
    eq(savedEvaluators.tenant_id, tenantId),
    kind && eq(savedEvaluators.kind, kind),
    search ? or(containsText(name, search), containsText(description, search)) : undefined,
  )
  const [total, evaluators] = await Promise.all([
    db.select({ n: count() }).from(savedEvaluators).where(where),
    db
      .select()
      .from(savedEvaluators)
      .where(where)
      .orderBy(asc(sql`lower(${name})`), asc(savedEvaluators.id))
      .offset(offset)
      .limit(limit),
  ])
  return { evaluators, total: total[0]?.n ?? 0 }
}

/** @throws ApiError NOT_FOUND */
export async function getSavedEvaluator(db: Database, tenantId: string, id: string): Promise<SavedEvaluator> {
  const [row] = await db.select().from(savedEvaluators).where(matches(tenantId, id))
  if (row === undefined) throw notFound()
  return row
}

const matches = (tenantId: string, id: string) =>
  and(eq(savedEvaluators.tenant_id, tenantId), eq(savedEvaluators.id, id))

const notFound = () => new ApiError('NOT_FOUND', 'Evaluator not found')

/** Saves an evaluator with its first version. @throws ApiError CONFLICT for a name that is taken, INVALID_REQUEST */
export async function createSavedEvaluator(
  deps: EvaluatorDeps,
  caller: Caller,
  { name, description, definition, note }: SavedEvaluatorCreate,
): Promise<SavedEvaluator> {
  const now = timeOfEpochMs(deps.clock())
  const row: SavedEvaluator = {
    id: deps.ids(),
    tenant_id: caller.tenantId,
    name,
    description: description ?? '',
    kind: definition.kind,
    version: 1,
    keys: listKeys(definition),
    created_at: now,
    modified_at: now,
    created_by: caller.actorName ?? null,
  }
  return deps.relational.transaction(async (tx) => {
    await lockEvaluators(tx, caller.tenantId)
    await assertNameFree(tx, row)
    const [found] = await tx
      .select({ n: count() })
      .from(savedEvaluators)
      .where(eq(savedEvaluators.tenant_id, caller.tenantId))
    if ((found?.n ?? 0) >= MAX_SAVED_EVALUATORS) {
      throw new ApiError('INVALID_REQUEST', `A workspace has at most ${MAX_SAVED_EVALUATORS} evaluators.`)
    }
    await tx.insert(savedEvaluators).values(row)
    await insertVersion(tx, { evaluator: row, definition, note: note ?? '' })
    return row
  })
}

/**
 * Changes name and description.
 *
 * @throws ApiError NOT_FOUND, CONFLICT for a name that is taken or an expected value that was changed
 */
export async function updateSavedEvaluator(
  deps: EvaluatorDeps,
  tenantId: string,
  id: string,
  { name, description, expected }: SavedEvaluatorUpdate,
): Promise<SavedEvaluator> {
  return deps.relational.transaction(async (tx) => {
    await lockEvaluators(tx, tenantId)
    const before = await getSavedEvaluator(tx, tenantId, id)
    assertExpected('The evaluator', expected, { ...before })
    const after: SavedEvaluator = {
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
      modified_at: timeOfEpochMs(deps.clock()),
    }
    await assertNameFree(tx, after)
    await tx.update(savedEvaluators).set(after).where(matches(tenantId, id))
    return after
  })
}

/** Deletes an evaluator with its versions. @throws ApiError NOT_FOUND */
export async function deleteSavedEvaluator(db: Database, tenantId: string, id: string): Promise<void> {
  const deleted = await db.delete(savedEvaluators).where(matches(tenantId, id)).returning({ id: savedEvaluators.id })
  if (deleted.length === 0) throw notFound()
}

/**
 * Adds a version.
 *
 * @throws ApiError NOT_FOUND, CONFLICT when another version is the newest, INVALID_REQUEST for another kind
 */
export async function createVersion(
  deps: EvaluatorDeps,
  caller: Caller,
  id: string,
  { definition, expected_version, note }: SavedEvaluatorVersionCreate,
): Promise<SavedEvaluatorVersion> {
  return deps.relational.transaction(async (tx) => {
    await lockEvaluators(tx, caller.tenantId)
    const before = await getSavedEvaluator(tx, caller.tenantId, id)
    if (before.version !== expected_version) {
      const message = `The newest version is ${before.version}, not ${expected_version}: it has changed since you read it.`
      throw new ApiError('CONFLICT', message)
    }
    if (before.kind !== definition.kind) {
      throw new ApiError('INVALID_REQUEST', `The evaluator is of the kind ${before.kind}, not ${definition.kind}.`)
    }
    if (before.version >= MAX_EVALUATOR_VERSIONS) {
      throw new ApiError('INVALID_REQUEST', `An evaluator has at most ${MAX_EVALUATOR_VERSIONS} versions.`)
    }
    const evaluator: SavedEvaluator = {
      ...before,
      version: before.version + 1,
      keys: listKeys(definition),
      modified_at: timeOfEpochMs(deps.clock()),
    }
    await tx.update(savedEvaluators).set(evaluator).where(matches(caller.tenantId, id))
    return insertVersion(tx, {
      evaluator: { ...evaluator, created_by: caller.actorName ?? null },
      definition,
      note: note ?? '',
    })
  })
}

/** A page of the versions, newest first, and their total number. @throws ApiError NOT_FOUND */
export async function listVersions(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ versions: SavedEvaluatorVersion[]; total: number }> {
  const { version: total } = await getSavedEvaluator(db, tenantId, id)
  const rows = await db
    .select()
    .from(savedEvaluatorVersions)
    .where(eq(savedEvaluatorVersions.evaluator_id, id))
    .orderBy(desc(savedEvaluatorVersions.version))
    .offset(offset)
    .limit(limit)
  return { versions: rows.map(presentVersion), total }
}

/** @param version  @default the newest @throws ApiError NOT_FOUND */
export async function getVersion(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  id: string,
  version?: number,
): Promise<{ readonly evaluator: SavedEvaluator; readonly version: SavedEvaluatorVersion }> {
  const evaluator = await getSavedEvaluator(db, tenantId, id)
  const number = version ?? evaluator.version
  const { evaluator_id } = savedEvaluatorVersions
  const [row] = await db
    .select()
    .from(savedEvaluatorVersions)
    .where(and(eq(evaluator_id, id), eq(savedEvaluatorVersions.version, number)))
  if (row === undefined) throw new ApiError('NOT_FOUND', `The evaluator has no version ${number}.`)
  return { evaluator, version: presentVersion(row) }
}

export interface NewestVersion {
  readonly evaluator: SavedEvaluator
  readonly definition: EvaluatorDefinition
}

/**
 * Evaluators with their newest definitions, by id; unknown ids are left out.
 *
 * @param ids  @default all of the workspace
 */
export async function selectNewestVersions(
  db: Database,
  tenantId: string,
  ids?: readonly string[],
): Promise<Map<string, NewestVersion>> {
  if (ids?.length === 0) return new Map()
  const { evaluator_id, version, definition } = savedEvaluatorVersions
  const rows = await db
    .select({ evaluator: savedEvaluators, definition })
    .from(savedEvaluators)
    .innerJoin(savedEvaluatorVersions, and(eq(evaluator_id, savedEvaluators.id), eq(version, savedEvaluators.version)))
    .where(and(eq(savedEvaluators.tenant_id, tenantId), ids && inArray(savedEvaluators.id, [...ids])))
  return new Map(
    rows.map((row) => [
      row.evaluator.id,
      { evaluator: row.evaluator, definition: JSON.parse(row.definition) as EvaluatorDefinition },
    ]),
  )
}

/** Feedback keys of a definition; none for a program that names none. */
export function listKeys(definition: EvaluatorDefinition): string[] {
  return definition.kind === 'javascript' ? definition.keys : definition.feedback.map(({ key }) => key)
}

function presentVersion({ definition, ...row }: SavedEvaluatorVersionRow): SavedEvaluatorVersion {
  return { ...row, definition: JSON.parse(definition) as EvaluatorDefinition }
}

interface NewVersion {
  readonly evaluator: SavedEvaluator
  readonly definition: EvaluatorDefinition
  readonly note: string
}

async function insertVersion(
  tx: Database,
  { evaluator, definition, note }: NewVersion,
): Promise<SavedEvaluatorVersion> {
  const { id, version, modified_at, created_by } = evaluator
  const row = { evaluator_id: id, version, note, created_at: modified_at, created_by }
  await tx.insert(savedEvaluatorVersions).values({ ...row, definition: JSON.stringify(definition) })
  return { ...row, definition }
}

async function assertNameFree(tx: Database, { id, tenant_id, name }: SavedEvaluator): Promise<void> {
  const [other] = await tx
    .select({ id: savedEvaluators.id })
    .from(savedEvaluators)
    .where(and(eq(savedEvaluators.tenant_id, tenant_id), eq(savedEvaluators.name, name), ne(savedEvaluators.id, id)))
  if (other !== undefined) throw new ApiError('CONFLICT', `An evaluator with the name "${name}" exists already.`)
}

/** One change of a workspace's evaluators at a time, so that names stay unique and versions follow each other. */
async function lockEvaluators(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`evaluators ${tenantId}`}, 0))`)
}
