/**
 * What travels, written by hand so that the published types need no other package; `schemas.test-d.ts` holds them to the
 * contract. Times are ISO 8601 UTC with six fractional digits; costs are decimal strings in US dollars, null when unknown.
 */

export type * from './schemas/agents.ts'
export type * from './schemas/annotation-queues.ts'
export type * from './schemas/backups.ts'
export type * from './schemas/bulk-jobs.ts'
export type * from './schemas/dashboards.ts'
export type * from './schemas/datasets.ts'
export type * from './schemas/evaluators.ts'
export type * from './schemas/experiments.ts'
export type * from './schemas/feedback.ts'
export type * from './schemas/model-prices.ts'
export type * from './schemas/people.ts'
export type * from './schemas/projects.ts'
export type * from './schemas/prompts.ts'
export type * from './schemas/run-stats.ts'
export type * from './schemas/runs.ts'
export type * from './schemas/saved-views.ts'
export type * from './schemas/shares.ts'
export type * from './schemas/sql.ts'
export type * from './schemas/threads.ts'
export type * from './schemas/usage.ts'
export type * from './schemas/workspaces.ts'

/** A user's own payload. `any`, as in the public package: code that reads `run.outputs.answer` must keep compiling. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type KVMap = Record<string, any>

export type RunType = 'tool' | 'chain' | 'llm' | 'retriever' | 'embedding' | 'prompt' | 'parser'
export type RunStatus = 'success' | 'error' | 'pending' | 'interrupted'

/** `[mime type, bytes]`, or the same with names. */
export type AttachmentData = Uint8Array | ArrayBuffer
export type AttachmentDescription = { mimeType: string; data: AttachmentData }
export type Attachments = Record<string, [string, AttachmentData] | AttachmentDescription>

export interface SignedUrl {
  presigned_url: string
  mime_type: string | null
  s3_url: null
}

export interface TimeDelta {
  days?: number | undefined
  hours?: number | undefined
  minutes?: number | undefined
}

/** Token counts as a run's outputs or metadata carry them; cached and reasoning tokens are included in the totals. */
export interface UsageMetadata {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  input_token_details?: Record<string, number> | undefined
  output_token_details?: Record<string, number> | undefined
  input_cost?: number | undefined
  output_cost?: number | undefined
  total_cost?: number | undefined
  input_cost_details?: Record<string, number> | undefined
  output_cost_details?: Record<string, number> | undefined
}

/** What a retriever run should output. */
export type RetrieverOutput = { page_content: string; type: 'Document'; metadata?: KVMap | undefined }[]

/** What `getInvocationParams` returns; read by cost computation and the run page. */
export interface InvocationParamsSchema {
  ls_model_type: 'chat' | 'llm'
  ls_provider?: string | undefined
  ls_model_name?: string | undefined
  ls_temperature?: number | undefined
  ls_max_tokens?: number | undefined
  ls_stop?: string[] | undefined
  ls_invocation_params?: KVMap | undefined
}
