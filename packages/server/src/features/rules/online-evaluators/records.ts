import {
  ApiError,
  type CodeEvaluator,
  type Evaluator,
  type EvaluatorCreate,
  type EvaluatorListQuery,
  type EvaluatorUpdate,
  type LlmEvaluator,
  timeOfEpochMs,
} from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import { and, asc, count, desc, eq, inArray, or, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { toJsonb } from '../../../storage/relational/filter.ts'
import { containsText, searchable } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type EvaluatorRow, evaluators } from '../../../storage/relational/tables/feedback.ts'

export type FeedbackRuleDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @param metadataText  raw JSON of the metadata; undefined when none was given */
export async function createRule(
  deps: FeedbackRuleDeps,
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
  await insertRule(deps.relational.db, row)
  return row
}

/**
 * Changes the given fields; an explicit null clears a field.
 *
 * @param metadataText  as above
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the definition of another type
 */
export async function updateRuleById(
  deps: FeedbackRuleDeps,
  tenantId: string,
  id: string,
  body: EvaluatorUpdate,
  metadataText: string | undefined,
): Promise<EvaluatorRow> {
  return deps.relational.transaction(async (tx) => {
    const row = await lockRule(tx, tenantId, id)
    if (row === undefined) throw ruleNotFound()
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
    await updateRule(tx, next)
    return next
  })
}

export function ruleNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Evaluator not found')
}

function toMetadataColumns(metadata: object | null | undefined, text: string | undefined) {
  return { metadata: metadata == null ? null : (text ?? null), metadata_index: searchable(metadata ?? {}) }
}

/** An evaluator as JSON text; its metadata keeps its raw JSON. */
export function presentRule(row: EvaluatorRow): string {
  const evaluator: Omit<Evaluator, 'metadata'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    type: row.type,
    code_evaluator: presentCode(row),
    llm_evaluator: presentLlm(row),
    // Evaluators are not run yet, so they have no rules and no keys.
    feedback_keys: [],
    run_rules: [],
    is_managed: false,
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
  return addRawMembers(evaluator, { metadata: row.metadata })
}

function presentCode({ id, code_evaluator: code }: EvaluatorRow): CodeEvaluator | null {
  if (code === null) return null
  return {
    code: code.code ?? null,
    language: code.language ?? 'python',
    dependencies: code.dependencies ?? null,
    code_evaluator_input: code.code_evaluator_input ?? null,
    require_attachments: code.require_attachments ?? false,
    advanced_features_enabled: code.advanced_features_enabled ?? false,
    workspace_secrets_keys: code.workspace_secrets_keys ?? [],
    managed_code_evaluator_key: code.managed_code_evaluator_key ?? null,
    managed_code_evaluator_settings: code.managed_code_evaluator_settings ?? null,
    evaluator_id: id,
    evaluator_build_status: null,
    evaluator_build_error: null,
  }
}

function presentLlm({ id, llm_evaluator: llm }: EvaluatorRow): LlmEvaluator | null {
  if (llm === null) return null
  return {
    prompt_repo_handle: llm.prompt_repo_handle ?? null,
    commit_hash_or_tag: llm.commit_hash_or_tag ?? null,
    playground_settings_id: llm.playground_settings_id ?? null,
    num_few_shot_examples: llm.num_few_shot_examples ?? null,
    use_corrections_dataset: llm.use_corrections_dataset ?? null,
    variable_mapping: llm.variable_mapping ?? null,
    evaluator_id: id,
  }
}

async function insertRule(db: Database, row: EvaluatorRow): Promise<void> {
  await db.insert(evaluators).values(row)
}

export async function selectRule(db: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await db.select().from(evaluators).where(whereRule(tenantId, id))
  return row
}

/** Selects and locks an evaluator until the transaction ends, so that concurrent changes are not lost. */
async function lockRule(tx: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await tx.select().from(evaluators).where(whereRule(tenantId, id)).for('update')
  return row
}

async function updateRule(db: Database, row: EvaluatorRow): Promise<void> {
  await db.update(evaluators).set(row).where(whereRule(row.tenant_id, row.id))
}

/** @returns ids of the deleted evaluators */
export async function deleteRules(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const gone = await db
    .delete(evaluators)
    .where(and(eq(evaluators.tenant_id, tenantId), inArray(evaluators.id, [...ids])))
    .returning({ id: evaluators.id })
  return gone.map(({ id }) => id)
}

interface RuleFilter extends Pick<EvaluatorListQuery, 'type' | 'name_contains'> {
  /** JSON that the metadata must contain. */
  readonly metadata: unknown
}

export async function selectRules(
  db: Database,
  tenantId: string,
  filter: RuleFilter,
  { sort_by, sort_by_desc, offset, limit }: EvaluatorListQuery,
): Promise<{ readonly rows: EvaluatorRow[]; readonly total: number }> {
  const where = whereFiltered(tenantId, filter)
  const order = sort_by_desc ? desc : asc
  const rows = await db
    .select()
    .from(evaluators)
    .where(where)
    .orderBy(order(evaluators[sort_by]), order(evaluators.id))
    .offset(offset)
    .limit(limit)
  const [counted] = await db.select({ total: count() }).from(evaluators).where(where)
  return { rows, total: counted?.total ?? 0 }
}

function whereFiltered(tenantId: string, { type, name_contains: text, metadata }: RuleFilter) {
  return and(
    eq(evaluators.tenant_id, tenantId),
    type && eq(evaluators.type, type),
    text ? or(containsText(evaluators.name, text), containsText(evaluators.created_by, text)) : undefined,
    metadata === undefined ? undefined : sql`${evaluators.metadata_index} @> ${toJsonb(metadata)}`,
  )
}

function whereRule(tenantId: string, id: string) {
  return and(eq(evaluators.tenant_id, tenantId), eq(evaluators.id, id))
}
