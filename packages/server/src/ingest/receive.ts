import { ApiError, type IngestReceipt, isStorable, parseUuid, type RunRepair } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import {
  type GivenFeedback,
  HIDDEN_ID,
  type HiddenIdDeps,
  parseFeedback,
  prepareFeedback,
  selectHiddenIds,
} from '../features/feedback/index.ts'
import type { Caller } from '../http/serve.ts'
import type { Outcome, Problems } from '../outcome.ts'
import { TimeSlices } from '../time-slices.ts'
import { type AttachmentPart, type Collected, findProject, type IngestProblem } from './collect-parts.ts'
import type { IngestItem } from './ingest-item.ts'
import { findThreadName, normalizeRun } from './normalize.ts'
import type { Ingest } from './open-ingest.ts'
import { isLarge, type OpenedRun, openLargeRun, openRun, type RawRun } from './open-run.ts'
import type { ReceiptNotes } from './receipts/record-receipts.ts'
import { BadRun, LargeRun } from './run-write.ts'

export type ReceiveDeps = Pick<Deps, 'blobs' | 'clock' | 'config' | 'ids' | 'metrics' | 'relational'> &
  HiddenIdDeps & { readonly ingest: Ingest }

/**
 * Stores everything valid of a request and reports the problems of the rest.
 *
 * @param message  message of the receipt when all or some was stored
 * @param notes  learn what became of every item
 * @throws ApiError INVALID_REQUEST when nothing could be stored, PAYLOAD_TOO_LARGE when all of it was too large
 */
export async function receive(
  deps: ReceiveDeps,
  caller: Caller,
  collected: Given,
  message: string,
  notes?: ReceiptNotes,
): Promise<IngestReceipt> {
  const began = deps.clock()
  const slices = new TimeSlices()
  const problems: IngestProblem[] = [...(collected.problems ?? [])]
  const repaired: RunRepair[] = []
  const items: { readonly runId: string; readonly item: IngestItem }[] = []
  const attempt = async (idOfFailed: () => string, make: () => IngestItem | Promise<IngestItem>, raw?: RawRun) => {
    try {
      const item = await make()
      items.push({ runId: item.kind === 'run' ? item.write.id : idOfFailed(), item })
    } catch (error) {
      if (!(error instanceof BadRun)) throw error
      const isTooLarge = error instanceof LargeRun
      problems.push({ run_id: idOfFailed(), error: error.message, isTooLarge, project: findProject(raw) })
    }
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
  }

  for await (const raw of collected.runs) {
    await attempt(
      () => findRunId(raw),
      async () => {
        const opened = isLarge(raw) ? await openLargeRun(raw, deps.config.ingest.maxPartBytes) : openRun(raw)
        const write = normalizeRun(raw, deps.ids, opened)
        const fields = [...new Set([...opened.repaired, ...findBrokenTexts(opened)])]
        if (findThreadName(opened.fields) !== undefined) fields.push('session_id')
        if (fields.length > 0) repaired.push({ run_id: write.id, fields })
        for (const error of opened.problems) problems.push({ run_id: write.id, error, project: findProject(raw) })
        return { kind: 'run', tenantId: caller.tenantId, write }
      },
      raw,
    )
  }
  const given: { readonly name: string; readonly feedback: GivenFeedback }[] = []
  for (const { name, text } of collected.feedback ?? []) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const read = readFeedback(text)
    if ('ok' in read) {
      given.push({ name, feedback: read.ok })
      if (read.ok.repaired?.length) repaired.push({ run_id: name, fields: [...read.ok.repaired] })
    } else problems.push({ run_id: name, error: read.problem })
  }
  const feedback = await feedbackItems(deps, caller, given)
  for (const item of feedback.items) items.push(item)
  for (const problem of feedback.problems) problems.push(problem)
  for (const attachment of collected.attachments ?? []) {
    await attempt(
      () => attachment.runId,
      () => attachmentItem(deps, caller, attachment),
    )
  }

  const failures = await submit(
    deps.ingest,
    items.map((one) => one.item),
  )
  for (const { runId, item } of items) {
    const error = failures.get(item)
    if (error !== undefined) problems.push({ run_id: runId, error })
  }
  const stored = items.length - failures.size
  if (notes !== undefined) noteOutcomes(notes, items, failures, problems)
  deps.metrics.ingested(stored, 0)
  deps.metrics.acknowledged((deps.clock() - began) / 1000)
  if (stored === 0 && problems.length > 0) throw refusal(problems)
  return {
    message,
    ...(problems.length > 0 && { errors: problems.map(({ run_id, error }) => ({ run_id, error })) }),
    ...(repaired.length > 0 && { repaired }),
  }
}

function noteOutcomes(
  notes: ReceiptNotes,
  items: readonly { readonly item: IngestItem }[],
  failures: Problems<IngestItem>,
  problems: readonly IngestProblem[],
): void {
  let isDescribed = false
  for (const { item } of items) {
    if (item.kind !== 'run' || failures.has(item)) continue
    const { id, traceId, sessionId, sessionName, kind, extra } = item.write
    notes.accept({ id, traceId, project: sessionId ?? sessionName ?? (kind === 'post' ? 'default' : undefined) })
    if (isDescribed || extra === undefined) continue
    notes.describeSender(readSender(extra.text))
    isDescribed = true
  }
  for (const { run_id, project, error } of problems) notes.reject({ id: run_id, project, reason: error })
}

/** Clients put their name, their version and their sampling rate into `extra`. Looks at its end too, where runtimes are. */
function readSender(extra: string): { sdk: string; samplingRate: number | undefined } {
  const text =
    extra.length <= SENDER_WITHIN ? extra : extra.slice(0, SENDER_WITHIN / 2) + extra.slice(-SENDER_WITHIN / 2)
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  const rate = Number(find(/"ls_tracing_sample_rate"\s*:\s*"?([\d.]{1,20})/) || Number.NaN)
  return {
    sdk: `${find(/"sdk"\s*:\s*"([^"\\]{1,80})"/)} ${find(/"sdk_version"\s*:\s*"([^"\\]{1,80})"/)}`.trim(),
    samplingRate: rate >= 0 && rate <= 1 ? rate : undefined,
  }
}

const SENDER_WITHIN = 16 * 1024

/** The content of a request; its runs may be cut while they are read. */
export type Given = Partial<Omit<Collected, 'runs'>> & { readonly runs: Iterable<RawRun> | AsyncIterable<RawRun> }

/** Items that are submitted together, so that one request does not fill the shared buffer. */
const SUBMITTED_AT_ONCE = 2_000

/** Stores items; returns those that could not be stored. */
export async function submit(ingest: Ingest, items: readonly IngestItem[]): Promise<Problems<IngestItem>> {
  const problems = new Map<IngestItem, string>()
  for (let at = 0; at < items.length; at += SUBMITTED_AT_ONCE) {
    for (const [item, problem] of await ingest.submit(items.slice(at, at + SUBMITTED_AT_ONCE)))
      problems.set(item, problem)
  }
  return problems
}

/**
 * Identifies a run that could not be read: by its own id, or, in a text that is large or no JSON, by the first id in
 * it.
 */
function findRunId(raw: RawRun): string {
  if (raw.id !== undefined) return raw.id
  const id = typeof raw.main === 'string' ? safeParse(raw.main)?.id : undefined
  if (typeof id === 'string') return id
  const start = typeof raw.main === 'string' ? raw.main.slice(0, ID_WITHIN) : raw.main.toString('utf8', 0, ID_WITHIN)
  return /"id"\s*:\s*"([^"\\]{1,100})"/.exec(start)?.[1] ?? ''
}

const ID_WITHIN = 4096

function safeParse(text: string): { id?: unknown } | undefined {
  try {
    return JSON.parse(text) as { id?: unknown }
  } catch {
    return undefined
  }
}

/** Fields whose text holds half a surrogate pair, which no column can hold; payloads keep theirs as they were sent. */
function findBrokenTexts({ fields, error }: OpenedRun): string[] {
  const isBroken = (value: unknown) => typeof value === 'string' && !value.isWellFormed()
  return [
    ...(isBroken(fields.name) ? ['name'] : []),
    ...(typeof fields.session_name === 'string' && !isStorable(fields.session_name) ? ['session_name'] : []),
    ...(isBroken(error) ? ['error'] : []),
    ...(Array.isArray(fields.tags) && fields.tags.some(isBroken) ? ['tags'] : []),
  ]
}

/** Parses feedback; invalid feedback does not affect the other items. */
function readFeedback(text: string): Outcome<GivenFeedback> {
  try {
    return { ok: parseFeedback(text) }
  } catch (error) {
    if (error instanceof ApiError) return { problem: error.message }
    throw error
  }
}

interface FeedbackItems {
  readonly items: { runId: string; item: IngestItem }[]
  /** Of feedback whose id belongs to a record that is hidden from the caller. */
  readonly problems: IngestProblem[]
}

/** @throws ApiError INVALID_REQUEST when a field is too large */
export async function feedbackItems(
  deps: ReceiveDeps,
  { tenantId, actorId: authorId }: Caller,
  given: readonly { readonly name: string; readonly feedback: GivenFeedback }[],
): Promise<FeedbackItems> {
  if (given.length === 0) return { items: [], problems: [] }
  const ids = given.flatMap(({ feedback }) => feedback.body.id ?? [])
  const hidden = await selectHiddenIds(deps, tenantId, ids)
  const isHidden = ({ feedback: { body } }: (typeof given)[number]) => body.id != null && hidden.has(body.id)
  const allowed = hidden.size === 0 ? given : given.filter((one) => !isHidden(one))
  const rows = await prepareFeedback(
    deps,
    tenantId,
    allowed.map((one) => ({ ...one.feedback, authorId })),
  )
  return {
    items: rows.map((row, at) => ({
      runId: allowed[at]!.name,
      item: { kind: 'feedback', tenantId, write: { kind: 'put', row } },
    })),
    problems: given.filter(isHidden).map(({ name }) => ({ run_id: name, error: HIDDEN_ID })),
  }
}

/** The bytes are durable in the blob store before the row that references them is written. */
export async function attachmentItem(
  deps: ReceiveDeps,
  caller: Caller,
  attachment: AttachmentPart,
): Promise<IngestItem> {
  const runId = parseUuid(attachment.runId)
  if (runId === undefined) throw new BadRun(`attachment names run ${attachment.runId}, which is not a valid uuid`)
  const row = {
    tenant_id: caller.tenantId,
    run_id: runId,
    name: attachment.name,
    mime_type: attachment.part.contentType || 'application/octet-stream',
    bytes: attachment.part.bytes.length,
    blob: await deps.blobs.put(attachment.part.bytes),
    version: deps.ingest.versions.after(),
  }
  return { kind: 'row', tenantId: caller.tenantId, table: 'run_attachments', json: JSON.stringify(row) }
}

/** The message contains the first three problems and the number of the others. */
function refusal(problems: readonly IngestProblem[]): ApiError {
  const named = problems
    .slice(0, 3)
    .map((problem) => (problem.run_id ? `run ${problem.run_id}: ${problem.error}` : problem.error))
  const more = problems.length > 3 ? ` (and ${problems.length - 3} more)` : ''
  const isTooLarge = problems.every((problem) => problem.isTooLarge)
  return new ApiError(isTooLarge ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST', `Bad request: ${named.join('; ')}${more}`, {
    problems: problems.map((problem) => ({ loc: ['run', problem.run_id], msg: problem.error, type: 'value_error' })),
  })
}
