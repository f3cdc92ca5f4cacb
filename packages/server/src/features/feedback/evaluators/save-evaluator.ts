import { ApiError, type EvaluatorCreate, type EvaluatorUpdate, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { searchable } from '../../../storage/relational/searchable.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'
import { insertEvaluator, lockEvaluator, updateEvaluator } from './store.ts'

export type EvaluatorDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @param metadataText  JSON text of the metadata as it came; undefined when none was given */
export async function createEvaluator(
  deps: EvaluatorDeps,
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
    ...metadataOf(body.metadata, metadataText),
    created_by: caller.actorName ?? null,
    created_at: now,
    updated_at: now,
  }
  await insertEvaluator(deps.relational.db, row)
  return row
}

/**
 * Changes what is given; an explicit null clears.
 *
 * @param metadataText  as above
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the definition of another type
 */
export async function changeEvaluator(
  deps: EvaluatorDeps,
  tenantId: string,
  id: string,
  body: EvaluatorUpdate,
  metadataText: string | undefined,
): Promise<EvaluatorRow> {
  return deps.relational.transaction(async (tx) => {
    const row = await lockEvaluator(tx, tenantId, id)
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
      ...(metadataText !== undefined && metadataOf(body.metadata, metadataText)),
      updated_at: timeOfEpochMs(deps.clock()),
    }
    await updateEvaluator(tx, next)
    return next
  })
}

export function evaluatorNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Evaluator not found')
}

function metadataOf(metadata: object | null | undefined, text: string | undefined) {
  return { metadata: metadata == null ? null : (text ?? null), metadata_index: searchable(metadata ?? {}) }
}
