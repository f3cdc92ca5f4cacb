export type EvaluatorType = 'llm' | 'code' | 'decision_model'

/** A program that judges runs or threads. */
export interface CodeEvaluatorDefinition {
  code?: string | null | undefined
  /** @default 'python' */
  language?: string | null | undefined
  dependencies?: string | null | undefined
  /** What of a thread it is given; null for an evaluator of runs. */
  code_evaluator_input?:
    | 'thread'
    | 'all_messages'
    | 'human_ai_pairs'
    | 'first_human_last_ai'
    | 'trajectory'
    | null
    | undefined
  require_attachments?: boolean | null | undefined
  advanced_features_enabled?: boolean | null | undefined
  /** Names of secrets of the workspace. */
  workspace_secrets_keys?: string[] | null | undefined
}

/** A prompt of the workspace by which a model judges. */
export interface LlmEvaluatorDefinition {
  prompt_repo_handle?: string | null | undefined
  commit_hash_or_tag?: string | null | undefined
  playground_settings_id?: string | null | undefined
  num_few_shot_examples?: number | null | undefined
  use_corrections_dataset?: boolean | null | undefined
  /** Variable of the prompt → where in the run its value is. */
  variable_mapping?: Record<string, unknown> | null | undefined
}

/** An evaluator that is kept in the workspace. */
export interface WorkspaceEvaluator {
  id: string
  tenant_id: string
  name: string
  type: EvaluatorType
  code_evaluator: (CodeEvaluatorDefinition & { evaluator_id: string }) | null
  llm_evaluator: (LlmEvaluatorDefinition & { evaluator_id: string }) | null
  metadata: Record<string, unknown> | null
  feedback_keys: string[]
  run_rules: { id: string }[]
  is_managed: boolean
  created_by: string | null
  created_at: string
  updated_at: string
}
