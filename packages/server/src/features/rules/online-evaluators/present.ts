import type { CodeEvaluator, Evaluator, EvaluatorRunRule, LlmEvaluator } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'
import { listKeys, type NewestVersion, selectNewestVersions } from '../../evaluators/index.ts'
import { toStructured } from '../wire/judges.ts'
import { toCode } from '../wire/programs.ts'
import { type Attachment, presentAttachments, selectAttachments } from './attachments.ts'
import { selectRecords } from './records.ts'

type PresentDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/**
 * Evaluators as JSON text, in the order of their ids; unknown ids are left out.
 *
 * @param attachments  rules that are shown. @default all
 */
export async function presentEvaluators(
  deps: PresentDeps,
  tenantId: string,
  ids: readonly string[],
  attachments?: readonly Attachment[],
): Promise<string[]> {
  const { db } = deps.relational
  const [records, saved, attached] = await Promise.all([
    selectRecords(db, tenantId, ids),
    selectNewestVersions(db, tenantId, ids),
    attachments ?? selectAttachments(deps, tenantId),
  ])
  const shown = attached.filter(({ evaluatorIds }) => evaluatorIds.some((id) => ids.includes(id)))
  const presented = await presentAttachments(deps, tenantId, shown)
  return ids.flatMap((id) => {
    const [record, newest] = [records.get(id), saved.get(id)]
    const rules = shown
      .filter(({ evaluatorIds }) => evaluatorIds.includes(id))
      .flatMap(({ rule }) => presented.get(rule.id) ?? [])
    return present(tenantId, { id, record, newest, rules }) ?? []
  })
}

interface Shown {
  readonly id: string
  readonly record: EvaluatorRow | undefined
  readonly newest: NewestVersion | undefined
  readonly rules: readonly EvaluatorRunRule[]
}

/** Its metadata keeps its raw JSON. */
function present(tenantId: string, { id, record, newest, rules }: Shown): string | undefined {
  const named = newest?.evaluator ?? record
  if (named === undefined) return undefined
  const isCode = newest === undefined ? record?.type === 'code' : newest.definition.kind === 'javascript'
  const type = record?.type ?? (isCode ? 'code' : 'llm')
  const evaluator: Omit<Evaluator, 'metadata'> = {
    id,
    tenant_id: tenantId,
    name: named.name,
    type,
    code_evaluator: isCode ? presentCode(id, record, newest) : null,
    llm_evaluator: type === 'llm' ? presentLlm(id, record, newest) : null,
    feedback_keys: newest === undefined ? [] : listKeys(newest.definition),
    run_rules: rules.map(({ spend_usd, ...rule }) => (isCode ? rule : { ...rule, spend_usd })) as EvaluatorRunRule[],
    is_managed: false,
    created_by: named.created_by,
    created_at: named.created_at,
    updated_at: 'modified_at' in named ? named.modified_at : named.updated_at,
  }
  return addRawMembers(evaluator, { metadata: record?.metadata ?? null })
}

function presentCode(id: string, record: EvaluatorRow | undefined, newest: NewestVersion | undefined): CodeEvaluator {
  const code = record?.code_evaluator
  const definition = newest?.definition
  return {
    code: definition?.kind === 'javascript' ? toCode(definition.source) : (code?.code ?? null),
    language: definition?.kind === 'javascript' ? 'javascript' : (code?.language ?? 'python'),
    dependencies: code?.dependencies ?? null,
    code_evaluator_input: code?.code_evaluator_input ?? null,
    require_attachments: code?.require_attachments ?? false,
    advanced_features_enabled: code?.advanced_features_enabled ?? false,
    workspace_secrets_keys: code?.workspace_secrets_keys ?? [],
    managed_code_evaluator_key: code?.managed_code_evaluator_key ?? null,
    managed_code_evaluator_settings: code?.managed_code_evaluator_settings ?? null,
    evaluator_id: id,
    evaluator_build_status: newest === undefined ? null : 'READY',
    evaluator_build_error: null,
  }
}

function presentLlm(id: string, record: EvaluatorRow | undefined, newest: NewestVersion | undefined): LlmEvaluator {
  const llm = record?.llm_evaluator
  const definition = newest?.definition
  const mapping = definition?.kind === 'llm_judge' ? toStructured(definition, undefined).variable_mapping : null
  return {
    prompt_repo_handle: llm?.prompt_repo_handle ?? null,
    commit_hash_or_tag: llm?.commit_hash_or_tag ?? null,
    playground_settings_id: llm?.playground_settings_id ?? null,
    num_few_shot_examples: llm?.num_few_shot_examples ?? null,
    use_corrections_dataset: llm?.use_corrections_dataset ?? null,
    variable_mapping: llm?.variable_mapping ?? (mapping as LlmEvaluator['variable_mapping']) ?? null,
    evaluator_id: id,
  }
}
