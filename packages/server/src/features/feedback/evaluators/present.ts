import type { CodeEvaluator, Evaluator, LlmEvaluator } from '@touchstone/contract'
import { addRawMembers } from '../../../json/write-object.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'

/** An evaluator as JSON text; its metadata is spliced in as it came. */
export function presentEvaluator(row: EvaluatorRow): string {
  const evaluator: Omit<Evaluator, 'metadata'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    type: row.type,
    code_evaluator: presentCode(row),
    llm_evaluator: presentLlm(row),
    // Nothing runs evaluators yet, so no rule names one and no key is known.
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
