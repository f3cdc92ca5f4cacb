import {
  ApiError,
  type CodeEvaluatorInput,
  EvaluatorDefinition,
  type EvaluatorUpdate,
  type LlmEvaluatorInput,
} from '@touchstone/contract'
import type { Caller } from '../../../http/serve.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import {
  createVersion,
  deleteSavedEvaluator,
  type NewestVersion,
  selectNewestVersions,
  updateSavedEvaluator,
} from '../../evaluators/index.ts'
import { deleteDecisionsWhere } from '../ledger.ts'
import { deleteRuleRow } from '../rules.ts'
import { listUsed, toJudge, toMapping } from '../wire/judges.ts'
import { parseOwn } from '../wire/problems.ts'
import { toCode, toProgram } from '../wire/programs.ts'
import type { WireDeps } from '../wire/save-evaluators.ts'
import { selectAttachments } from './attachments.ts'
import { deleteRecords, ensureRecord, evaluatorNotFound, selectRecord, updateRecord } from './records.ts'

/**
 * Changes an evaluator. The definition of one that the server runs becomes its next version.
 *
 * @param metadataText  raw JSON of the metadata; undefined when none was given
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the definition of another type, UNPROCESSABLE
 */
export async function updateEvaluator(
  deps: WireDeps,
  caller: Caller,
  id: string,
  body: EvaluatorUpdate,
  metadataText: string | undefined,
): Promise<void> {
  const { tenantId } = caller
  const newest = (await selectNewestVersions(deps.relational.db, tenantId, [id])).get(id)
  if (newest === undefined) {
    await updateRecord(deps, tenantId, id, body, metadataText)
    return
  }
  const isCode = newest.definition.kind === 'javascript'
  const other = isCode ? 'llm_evaluator' : 'code_evaluator'
  if (body[other] != null) {
    throw new ApiError(
      'INVALID_REQUEST',
      `The evaluator is of type ${isCode ? 'code' : 'llm'}; ${other} is not for it.`,
    )
  }
  const definition = await toDefinition(deps, caller, newest, body)
  if (definition !== undefined) {
    const change = {
      definition,
      expected_version: newest.evaluator.version,
      note: 'Changed by a client of evaluators.',
    }
    await createVersion(deps, caller, id, change)
  }
  if (body.name != null) await updateSavedEvaluator(deps, tenantId, id, { name: body.name.slice(0, 200) })
  await ensureRecord(deps, caller, newest.evaluator, isCode ? 'code' : 'llm')
  const { code: _, language: __, ...code } = body.code_evaluator ?? {}
  await updateRecord(deps, tenantId, id, { ...body, ...(isCode && { code_evaluator: code }) }, metadataText)
}

/** @returns undefined when the definition does not change */
async function toDefinition(
  deps: WireDeps,
  caller: Caller,
  { evaluator, definition }: NewestVersion,
  { code_evaluator: code, llm_evaluator: llm }: EvaluatorUpdate,
): Promise<EvaluatorDefinition | undefined> {
  if (definition.kind === 'javascript') {
    if (code?.code == null && code?.language == null) return undefined
    return changeProgram(toCode(definition.source), code)
  }
  if (llm == null) return undefined
  const record = (await selectRecord(deps.relational.db, caller.tenantId, evaluator.id))?.llm_evaluator
  const handle = llm.prompt_repo_handle ?? record?.prompt_repo_handle
  if (handle != null) return readJudge(deps, caller, { ...record, ...llm, prompt_repo_handle: handle })
  if (llm.variable_mapping == null) return undefined
  const used = listUsed(definition.messages, definition.template_format)
  const mapping = toMapping(llm.variable_mapping as Record<string, string>, used, ['llm_evaluator'])
  return parseOwn(EvaluatorDefinition, { ...definition, mapping }, ['llm_evaluator'])
}

function changeProgram(before: string, { code, language }: CodeEvaluatorInput): EvaluatorDefinition {
  const isPython = language != null && language.toLowerCase() !== 'javascript'
  return toProgram({ code: code ?? before, language: isPython ? 'python' : 'javascript' }, ['code_evaluator'])
}

function readJudge(deps: WireDeps, caller: Caller, llm: LlmEvaluatorInput): Promise<EvaluatorDefinition> {
  const structured = {
    hub_ref: `${llm.prompt_repo_handle}:${llm.commit_hash_or_tag ?? ''}`,
    variable_mapping: (llm.variable_mapping ?? {}) as Record<string, string>,
  }
  return toJudge(deps, caller, structured, ['llm_evaluator'])
}

/**
 * Deletes an evaluator.
 *
 * @param deletesRules  whether rules that run it are deleted too
 * @throws ApiError NOT_FOUND; CONFLICT while rules run it
 */
export async function deleteEvaluator(
  deps: WireDeps,
  tenantId: string,
  id: string,
  deletesRules: boolean,
): Promise<void> {
  const { db } = deps.relational
  const isSaved = (await selectNewestVersions(db, tenantId, [id])).has(id)
  if (!isSaved && (await selectRecord(db, tenantId, id)) === undefined) throw evaluatorNotFound()
  const rules = (await selectAttachments(deps, tenantId)).filter(({ evaluatorIds }) => evaluatorIds.includes(id))
  if (rules.length > 0 && !deletesRules) {
    const names = rules.map(({ rule }) => `"${rule.name}"`).join(', ')
    throw new ApiError('CONFLICT', `Rules run it: ${names}. Delete them first, or send delete_run_rules=true.`)
  }
  for (const { rule } of rules) {
    await deleteRuleRow(db, tenantId, rule.id)
    await deleteDecisionsWhere(deps, tenantId, sql`rule_id = ${uuid(rule.id)}`)
  }
  if (isSaved) await deleteSavedEvaluator(db, tenantId, id)
  await deleteRecords(db, tenantId, [id])
}
