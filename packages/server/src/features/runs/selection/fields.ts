import { microsOf, PUBLIC_RUN_FIELDS, RUN_SELECTS, type Run, type RunSelect } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { printedTime } from '../../../storage/analytics/sql.ts'
import { presentField, type RunView } from '../index.ts'

/** How a v2 field is derived from a v1 field. */
export interface SelectField {
  /** The v1 field that it is derived from. */
  readonly from: keyof Run
  /** JSON text of the value, given the JSON text of the v1 field; undefined omits the field. */
  readonly print: (text: string, view: RunView, origin: string) => string | undefined
}

const convert =
  (print: SelectField['print']) =>
  (from: keyof Run): SelectField => ({ from, print })
const same = convert((text) => text)
const upperCase = convert((text) => text.toUpperCase())
/** Costs are decimal text in v1 and numbers here. */
const number = convert((text) => text.replaceAll('"', ''))
const raw = convert((text) => (text === 'null' ? text : `{"raw":${text}}`))
const rawNumbers = convert((text) => (text === 'null' ? text : `{"raw":${unquoteNumbers(text)}}`))

/** v2 name → the v1 field that it is derived from, and the conversion. */
export const SELECT_FIELDS: Readonly<Record<RunSelect, SelectField>> = {
  ID: same('id'),
  NAME: same('name'),
  RUN_TYPE: upperCase('run_type'),
  STATUS: upperCase('status'),
  START_TIME: same('start_time'),
  END_TIME: same('end_time'),
  LATENCY_SECONDS: convert((_, view) => toLatencySeconds(view))('end_time'),
  FIRST_TOKEN_TIME: same('first_token_time'),
  ERROR: same('error'),
  ERROR_PREVIEW: same('error_preview'),
  EXTRA: same('extra'),
  METADATA: convert((text) => cutMetadata(text))('extra'),
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
  IS_ROOT: convert((parent) => String(parent === 'null'))('parent_run_id'),
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
  ATTACHMENTS: convert((_, view, origin) => presentAttachmentUrls(view, origin))('s3_urls'),
  // This server does not evaluate threads.
  THREAD_EVALUATION_TIME: convert(() => 'null')('id'),
  IS_IN_DATASET: same('in_dataset'),
  LAST_QUEUED_AT: same('last_queued_at'),
  SHARE_URL: convert((_, { shareToken }, origin) =>
    shareToken === undefined ? undefined : JSON.stringify(`${origin}/public/${shareToken}/r`),
  )('share_token'),
  FEEDBACK_STATS: same('feedback_stats'),
  LS_USER_ID: convert(() => 'null')('id'),
}

/** Seconds from start to end, or null. Never negative, as in `microsBetween`. */
export function toLatencySeconds({ row }: RunView): string {
  if (!row.end_time) return 'null'
  const micros = Number(microsOf(printedTime(row.end_time)) - microsOf(printedTime(row.start_time)))
  return String(Math.max(micros, 0) / 1e6)
}

/** Cut out of the text instead of parsed, which keeps the digits of users' numbers. */
function cutMetadata(extra: string): string {
  return (extra === 'null' ? undefined : splitMembers(extra).get('metadata')) ?? '{}'
}

/** `{"a":"0.5"}` as `{"a":0.5}`. */
function unquoteNumbers(text: string): string {
  const decimals = Object.entries(JSON.parse(text) as Record<string, string>)
  return `{${decimals.map(([key, decimal]) => `${JSON.stringify(key)}:${decimal}`).join(',')}}`
}

function presentAttachmentUrls({ attachments = {} }: RunView, origin: string): string {
  const entries = Object.entries(attachments).map(([name, url]) => [name, origin + url.presigned_url])
  return JSON.stringify(Object.fromEntries(entries))
}

const KNOWN = new Set<string>(RUN_SELECTS)
const PUBLIC = new Set<string>(PUBLIC_RUN_FIELDS)

/** The known names of a request, or the id alone. */
export function toRunSelects(names: readonly string[]): readonly RunSelect[] {
  const known = [...new Set(names)].filter((name): name is RunSelect => KNOWN.has(name))
  return known.length > 0 ? known : ['ID']
}

/** The names without those derived from private fields. */
export function omitPrivateSelects(selects: readonly RunSelect[]): readonly RunSelect[] {
  return selects.filter((select) => PUBLIC.has(SELECT_FIELDS[select].from))
}

/** v1 fields to read for a selection. */
export function toRunFields(selects: readonly RunSelect[]): Set<string> {
  return new Set(selects.map((select) => SELECT_FIELDS[select].from))
}

/**
 * JSON text of a run with only the selected fields.
 *
 * @param origin  origin of this server, the start of URLs
 */
export function presentSelectedRun(view: RunView, selects: readonly RunSelect[], origin: string): string {
  const parts: string[] = []
  for (const select of selects) {
    const { from, print } = SELECT_FIELDS[select]
    const text = print(presentField(view, from), view, origin)
    if (text !== undefined) parts.push(`"${select.toLowerCase()}":${text}`)
  }
  return `{${parts.join(',')}}`
}
