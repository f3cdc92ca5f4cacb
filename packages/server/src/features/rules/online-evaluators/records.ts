import { ApiError, type EvaluatorCreate, type EvaluatorUpdate, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { searchable } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type EvaluatorRow, evaluators } from '../../../storage/relational/tables/feedback.ts'

/*
 * What public clients say of evaluators. A record of its own is an evaluator that the server does not run: a program in Python, or a
 * prompt that no rule uses yet. A record with the id of a saved evaluator has what clients say beside it: metadata, and the kind
 * of a decision model; name and definition are those of the saved evaluator.
 */

export type RecordDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @param metadataText  raw JSON of the metadata; undefined when none was given */
export async function createRecord(
  deps: RecordDeps,
  caller: Caller,
  body: EvaluatorCreate,
  metadataText: string | undefined,
): Promise<EvaluatorRow> {
  const now = timeOfEpochMs(deps.clock())
  const row: EvaluatorRow = {
    id: deps.ids(),
    tenant_id: caller.tenantId,
    name: body.name,
    type: body.type,
    code_evaluator: body.code_evaluator ?? null,
    llm_evaluator: body.llm_evaluator ?? null,
    ...toMetadataColumns(body.metadata, metadataText),
    created_by: caller.actorName ?? null,
    created_at: now,
    updated_at: now,
  }
  await insertRecord(deps.relational.db, row)
  return row
}

/**
 * Changes the given fields; an explicit null clears a field.
 *
 * @param metadataText  as above
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the definition of another type
 */
export async function updateRecord(
  deps: RecordDeps,
  tenantId: string,
  id: string,
  body: EvaluatorUpdate,
  metadataText: string | undefined,
): Promise<EvaluatorRow> {
  return deps.relational.transaction(async (tx) => {
    const row = await lockRecord(tx, tenantId, id)
    if (row === undefined) throw evaluatorNotFound()
    for (const member of ['code_evaluator', 'llm_evaluator'] as const) {
      if (body[member] == null || row[member] !== null) continue
      throw new ApiError('INVALID_REQUEST', `The evaluator is of type ${row.type}; ${member} is not for it.`)
    }
    const next: EvaluatorRow = {
      ...row,
      name: body.name ?? row.name,
      code_evaluator: row.code_evaluator && { ...row.code_evaluator, ...body.code_evaluator },
      llm_evaluator: row.llm_evaluator && { ...row.llm_evaluator, ...body.llm_evaluator },
      ...(metadataText !== undefined && toMetadataColumns(body.metadata, metadataText)),
      updated_at: timeOfEpochMs(deps.clock()),
    }
    await replaceRecord(tx, next)
    return next
  })
}

export function evaluatorNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Evaluator not found')
}

function toMetadataColumns(metadata: object | null | undefined, text: string | undefined) {
  return { metadata: metadata == null ? null : (text ?? null), metadata_index: searchable(metadata ?? {}) }
}

async function insertRecord(db: Database, row: EvaluatorRow): Promise<void> {
  await db.insert(evaluators).values(row)
}

export async function selectRecord(db: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await db.select().from(evaluators).where(whereRecord(tenantId, id))
  return row
}

/** Selects and locks an evaluator until the transaction ends, so that concurrent changes are not lost. */
async function lockRecord(tx: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await tx.select().from(evaluators).where(whereRecord(tenantId, id)).for('update')
  return row
}

async function replaceRecord(db: Database, row: EvaluatorRow): Promise<void> {
  await db.update(evaluators).set(row).where(whereRecord(row.tenant_id, row.id))
}

/** @returns ids of the deleted evaluators */
export async function deleteRecords(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const gone = await db
    .delete(evaluators)
    .where(and(eq(evaluators.tenant_id, tenantId), inArray(evaluators.id, [...ids])))
    .returning({ id: evaluators.id })
  return gone.map(({ id }) => id)
}

function whereRecord(tenantId: string, id: string) {
  return and(eq(evaluators.tenant_id, tenantId), eq(evaluators.id, id))
}

/** Gives a saved evaluator a record, if it has none. */
export async function ensureRecord(
  { relational, clock }: Pick<RecordDeps, 'relational' | 'clock'>,
  caller: Caller,
  { id, name }: { readonly id: string; readonly name: string },
  type: EvaluatorRow['type'],
): Promise<void> {
  if ((await selectRecord(relational.db, caller.tenantId, id)) !== undefined) return
  const now = timeOfEpochMs(clock())
  await insertRecord(relational.db, {
    id,
    tenant_id: caller.tenantId,
    name,
    type,
    code_evaluator: type === 'code' ? {} : null,
    llm_evaluator: type === 'llm' ? {} : null,
    ...toMetadataColumns(null, undefined),
    created_by: caller.actorName ?? null,
    created_at: now,
    updated_at: now,
  })
}

export async function selectDecisionModelIds(db: Database, tenantId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: evaluators.id })
    .from(evaluators)
    .where(and(eq(evaluators.tenant_id, tenantId), eq(evaluators.type, 'decision_model')))
  return new Set(rows.map(({ id }) => id))
}

export async function selectRecords(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, EvaluatorRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(evaluators)
    .where(and(eq(evaluators.tenant_id, tenantId), inArray(evaluators.id, [...ids])))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Drops what the saved evaluator of the same id has from now on; what only the record has stays. */
export async function releaseDefinition(db: Database, { code_evaluator: code, ...row }: EvaluatorRow): Promise<void> {
  await replaceRecord(db, { ...row, code_evaluator: code && { ...code, code: null } })
}
