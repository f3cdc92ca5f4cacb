import { RUN_FIELDS_ALWAYS, type Run, UsageRepeat } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { shorten } from '@touchstone/formats/outline-json'
import { printedTime } from '../../storage/analytics/sql.ts'
import type { FeedbackStats } from '../feedback/index.ts'
import type { DerivedPreviews } from './derived-previews.ts'
import type { RunRow } from './run-row.ts'
import type { SubtreeTotals } from './subtree-totals.ts'
import type { TraceSpan } from './trace-facts.ts'

/** A run: its row and the data that was looked up for it. */
export interface RunView {
  readonly tenantId: string
  readonly row: RunRow
  readonly totals?: SubtreeTotals | undefined
  readonly childIds?: readonly string[] | undefined
  readonly directChildIds?: readonly string[] | undefined
  readonly attachments?:
    | Readonly<Record<string, { readonly presigned_url: string; readonly mime_type: string }>>
    | undefined
  readonly traceSpan?: TraceSpan | undefined
  readonly derived?: DerivedPreviews | undefined
  /** Whether it is a call of a model whose direct child reports the same usage. */
  readonly isRepeated?: boolean | undefined
  readonly shareToken?: string | undefined
  readonly feedback?: FeedbackStats | undefined
  readonly inDataset?: boolean | undefined
  readonly lastQueuedAt?: string | undefined
  readonly referenceDatasetId?: string | undefined
}

/**
 * JSON text of a run on the wire. Payloads are inserted as stored: parsing and printing them again would change big
 * integers and repeated keys.
 *
 * @param fields  selected wire fields
 * @param always  fields that are always added, because clients require them
 */
export function presentRun(
  view: RunView,
  fields: ReadonlySet<string>,
  always: readonly string[] = RUN_FIELDS_ALWAYS,
): string {
  const parts: string[] = []
  for (const field of new Set<string>([...always, ...fields])) {
    // Clients load attachments whenever the field is present.
    if (field === 's3_urls' && !hasAttachments(view)) continue
    // Almost no run of a list has them.
    if (field === 'derived_payloads' && view.derived === undefined) continue
    // Own members only: a caller may select `constructor`.
    if (Object.hasOwn(PRESENT, field)) parts.push(`"${field}":${PRESENT[field]!(view)}`)
  }
  return `{${parts.join(',')}}`
}

/** JSON text of one wire field. */
export function presentField(view: RunView, field: keyof Run): string {
  return PRESENT[field]!(view)
}

/** Path of the run in the web UI. */
export function appPath(tenantId: string, row: Pick<RunRow, 'id' | 'session_id' | 'trace_id' | 'start_time'>): string {
  const start = printedTime(row.start_time).slice(0, -1)
  return `/o/${tenantId}/projects/p/${row.session_id}/r/${row.id}?trace_id=${row.trace_id}&start_time=${start}`
}

const json = JSON.stringify
const nullable = (text: string | null | undefined) => json(text || null)
const raw = (text: string | undefined) => text || 'null'
const time = (column: string | null | undefined) => (column ? json(printedTime(column)) : 'null')
const nothing = () => 'null'

type Present = (view: RunView) => string

/** Wire field → JSON text. Unknown fields are omitted. */
const PRESENT: Readonly<Record<string, Present>> = {
  id: ({ row }) => json(row.id),
  name: ({ row }) => json(row.name),
  run_type: ({ row }) => json(row.run_type),
  status: ({ row }) => json(row.status),
  trace_id: ({ row }) => json(row.trace_id),
  session_id: ({ row }) => json(row.session_id),
  dotted_order: ({ row }) => json(row.dotted_order),
  app_path: ({ row, tenantId }) => json(appPath(tenantId, row)),
  start_time: ({ row }) => time(row.start_time),
  end_time: ({ row }) => time(row.end_time),
  first_token_time: ({ row }) => time(row.first_token_time),
  parent_run_id: ({ row }) => json(row.parent_run_id),
  parent_run_ids: ({ row }) => json(ancestorIds(row)),
  child_run_ids: ({ childIds }) => json(childIds ?? null),
  direct_child_run_ids: ({ directChildIds }) => json(directChildIds ?? null),
  inputs: ({ row }) => raw(row.inputs),
  inputs_preview: ({ row, derived }) => nullable(row.inputs_preview || derived?.inputsPreview),
  outputs: ({ row }) => raw(row.outputs),
  outputs_preview: ({ row, derived }) => nullable(row.outputs_preview || derived?.outputsPreview),
  derived_payloads: ({ derived }) => json({ inputs: derived?.inputs, outputs: derived?.outputs }),
  error: ({ row }) => nullable(row.error),
  error_preview: ({ row }) => (row.error_line ? json(shorten(row.error_line)) : 'null'),
  extra: ({ row }) => raw(row.extra),
  events: ({ row }) => row.events || '[]',
  serialized: ({ row }) => raw(row.serialized),
  tags: ({ row }) => json(row.tags ?? []),
  thread_id: ({ row }) => nullable(row.thread_id),
  execution_order: () => '1',
  reference_example_id: ({ row }) => json(row.reference_example_id ?? null),
  reference_dataset_id: ({ referenceDatasetId }) => json(referenceDatasetId ?? null),
  total_tokens: ({ totals }) => json(totals?.total_tokens ?? 0),
  prompt_tokens: ({ totals }) => json(totals?.prompt_tokens ?? 0),
  completion_tokens: ({ totals }) => json(totals?.completion_tokens ?? 0),
  prompt_token_details: ({ totals }) => json(totals?.prompt_token_details ?? null),
  completion_token_details: ({ totals }) => json(totals?.completion_token_details ?? null),
  total_cost: ({ totals }) => json(totals?.total_cost ?? null),
  prompt_cost: ({ totals }) => json(totals?.prompt_cost ?? null),
  completion_cost: ({ totals }) => json(totals?.completion_cost ?? null),
  reported_cost: ({ totals }) => json(totals?.reported_cost ?? null),
  unpriced_fees: ({ totals }) => json(totals?.unpriced_fees ?? null),
  repeats_usage: presentRepeat,
  prompt_cost_details: ({ totals }) => json(totals?.prompt_cost_details ?? null),
  completion_cost_details: ({ totals }) => json(totals?.completion_cost_details ?? null),
  price_model_id: ({ row }) => json(row.price_model_id ?? null),
  feedback_stats: ({ feedback }) => json(feedback ?? {}),
  in_dataset: ({ inDataset }) => json(inDataset ?? false),
  share_token: ({ shareToken }) => json(shareToken ?? null),
  messages: nothing,
  s3_urls: presentAttachments,
  inputs_s3_urls: nothing,
  outputs_s3_urls: nothing,
  manifest_id: nothing,
  manifest_s3_id: nothing,
  trace_tier: () => '"longlived"',
  trace_upgrade: () => 'false',
  ttl_seconds: nothing,
  trace_first_received_at: ({ row }) => time(row.received_at),
  trace_min_start_time: ({ traceSpan }) => time(traceSpan?.first),
  trace_max_start_time: ({ traceSpan }) => time(traceSpan?.last),
  last_queued_at: ({ lastQueuedAt }) => json(lastQueuedAt ?? null),
  inserted_at: ({ row }) => time(row.received_at),
}

/** Of a span as it is stored, else as its children show. */
function presentRepeat({ row, isRepeated }: RunView): string {
  const said = row.extra?.includes('"repeats_usage"') ? readSpanMember(row.extra, 'repeats_usage') : undefined
  const repeat = UsageRepeat.safeParse(said)
  return json(repeat.success ? repeat.data : isRepeated ? 'below' : null)
}

/** A member of `extra.otel`, without parsing the rest. */
function readSpanMember(extra: string, name: string): unknown {
  const otel = splitMembers(extra).get('otel')
  const text = otel !== undefined && isObjectText(otel) ? splitMembers(otel).get(name) : undefined
  return text === undefined ? undefined : JSON.parse(text)
}

/** Ids of the ancestors from the root to the direct parent, by the dotted order; without one, only the parent. */
function ancestorIds(row: RunRow): string[] {
  const above = row.dotted_order.split('.').slice(0, -1)
  if (above.length > 0) return above.map((segment) => segment.slice(-36))
  return row.parent_run_id === null ? [] : [row.parent_run_id]
}

function hasAttachments({ attachments = {} }: RunView): boolean {
  return Object.keys(attachments).length > 0
}

function presentAttachments(view: RunView): string {
  if (!hasAttachments(view)) return 'null'
  const entries = Object.entries(view.attachments ?? {}).map(([name, url]) => [
    `attachment.${name}`,
    { ...url, s3_url: null },
  ])
  return json(Object.fromEntries(entries))
}
