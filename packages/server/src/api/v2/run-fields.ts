import { microsOf, type Run, type RunSelect } from '@touchstone/contract'
import type { RunView } from '../../features/runs/index.ts'
import { splitMembers } from '../../json/cut-json.ts'
import { printedTime } from '../../storage/analytics/sql.ts'

/** How a v2 field is made of a v1 field. */
export interface FieldV2 {
  /** The v1 field behind it; what it needs is read. */
  readonly from: keyof Run
  /** JSON text of the value, given that of the v1 field; undefined leaves the field out. */
  readonly print: (text: string, view: RunView, origin: string) => string | undefined
}

const as =
  (print: FieldV2['print']) =>
  (from: keyof Run): FieldV2 => ({ from, print })
const same = as((text) => text)
const upperCase = as((text) => text.toUpperCase())
/** Costs are decimal text in v1 and numbers here. */
const number = as((text) => text.replaceAll('"', ''))
const raw = as((text) => (text === 'null' ? text : `{"raw":${text}}`))
const rawNumbers = as((text) => (text === 'null' ? text : `{"raw":${numbersOf(text)}}`))

/** v2 name → the v1 field it is made of, and how. */
export const FIELDS: Readonly<Record<RunSelect, FieldV2>> = {
  ID: same('id'),
  NAME: same('name'),
  RUN_TYPE: upperCase('run_type'),
  STATUS: upperCase('status'),
  START_TIME: same('start_time'),
  END_TIME: same('end_time'),
  LATENCY_SECONDS: as((_, view) => latencyOf(view))('end_time'),
  FIRST_TOKEN_TIME: same('first_token_time'),
  ERROR: same('error'),
  ERROR_PREVIEW: same('error_preview'),
  EXTRA: same('extra'),
  METADATA: as((text) => metadataOf(text))('extra'),
  EVENTS: same('events'),
  INPUTS: same('inputs'),
  INPUTS_PREVIEW: same('inputs_preview'),
  OUTPUTS: same('outputs'),
  OUTPUTS_PREVIEW: same('outputs_preview'),
  MANIFEST: same('serialized'),
  PARENT_RUN_ID: same('parent_run_id'),
  PARENT_RUN_IDS: same('parent_run_ids'),
  PROJECT_ID: same('session_id'),
  TRACE_ID: same('trace_id'),
  THREAD_ID: same('thread_id'),
  DOTTED_ORDER: same('dotted_order'),
  IS_ROOT: as((parent) => String(parent === 'null'))('parent_run_id'),
  REFERENCE_EXAMPLE_ID: same('reference_example_id'),
  REFERENCE_DATASET_ID: same('reference_dataset_id'),
  TOTAL_TOKENS: same('total_tokens'),
  PROMPT_TOKENS: same('prompt_tokens'),
  COMPLETION_TOKENS: same('completion_tokens'),
  TOTAL_COST: number('total_cost'),
  PROMPT_COST: number('prompt_cost'),
  COMPLETION_COST: number('completion_cost'),
  PROMPT_TOKEN_DETAILS: raw('prompt_token_details'),
  COMPLETION_TOKEN_DETAILS: raw('completion_token_details'),
  PROMPT_COST_DETAILS: rawNumbers('prompt_cost_details'),
  COMPLETION_COST_DETAILS: rawNumbers('completion_cost_details'),
  PRICE_MODEL_ID: same('price_model_id'),
  TAGS: same('tags'),
  APP_PATH: same('app_path'),
  ATTACHMENTS: as((_, view, origin) => attachmentsOf(view, origin))('s3_urls'),
  // Nothing evaluates threads here.
  THREAD_EVALUATION_TIME: as(() => 'null')('id'),
  IS_IN_DATASET: same('in_dataset'),
  LAST_QUEUED_AT: same('last_queued_at'),
  SHARE_URL: as((_, { shareToken }, origin) =>
    shareToken === undefined ? undefined : JSON.stringify(`${origin}/public/${shareToken}/r`),
  )('share_token'),
  FEEDBACK_STATS: same('feedback_stats'),
  LS_USER_ID: as(() => 'null')('id'),
}

/** Seconds from start to end, or null. */
export function latencyOf({ row }: RunView): string {
  if (!row.end_time) return 'null'
  return String(Number(microsOf(printedTime(row.end_time)) - microsOf(printedTime(row.start_time))) / 1e6)
}

/** Cut out of the text rather than parsed: the digits of users' numbers stay as they came. */
function metadataOf(extra: string): string {
  return (extra === 'null' ? undefined : splitMembers(extra).get('metadata')) ?? '{}'
}

/** `{"a":"0.5"}` as `{"a":0.5}`. */
function numbersOf(text: string): string {
  const decimals = Object.entries(JSON.parse(text) as Record<string, string>)
  return `{${decimals.map(([key, decimal]) => `${JSON.stringify(key)}:${decimal}`).join(',')}}`
}

function attachmentsOf({ attachments = {} }: RunView, origin: string): string {
  const entries = Object.entries(attachments).map(([name, url]) => [name, origin + url.presigned_url])
  return JSON.stringify(Object.fromEntries(entries))
}
