import { ApiError, type IngestReceipt, parseUuid, type RunProblem } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { type GivenFeedback, parseFeedback, prepareFeedback } from '../features/feedback/index.ts'
import type { Caller } from '../http/caller.ts'
import type { AttachmentPart, Collected } from './collect-parts.ts'
import { normalizeRun, type RawRun } from './normalize.ts'
import type { Ingest, IngestItem } from './open-ingest.ts'
import { BadRun } from './run-write.ts'

export type ReceiveDeps = Pick<Deps, 'blobs' | 'clock' | 'ids' | 'metrics' | 'relational'> & { readonly ingest: Ingest }

/**
 * Stores all that can be stored of a request and says what could not.
 *
 * @param message  what the receipt says when all or some was stored
 * @throws ApiError INVALID_REQUEST when nothing could be stored
 */
export async function receive(
  deps: ReceiveDeps,
  caller: Caller,
  collected: Pick<Collected, 'runs'> & Partial<Collected>,
  message: string,
): Promise<IngestReceipt> {
  const began = deps.clock()
  const problems: RunProblem[] = [...(collected.problems ?? [])]
  const items: { readonly runId: string; readonly item: IngestItem }[] = []
  const attempt = async (runId: string, make: () => IngestItem | Promise<IngestItem>) => {
    try {
      items.push({ runId, item: await make() })
    } catch (error) {
      if (!(error instanceof BadRun)) throw error
      problems.push({ run_id: runId, error: error.message })
    }
  }

  for (const raw of collected.runs) await attempt(idOf(raw), () => runItem(deps, caller, raw))
  const given: { readonly name: string; readonly feedback: GivenFeedback }[] = []
  for (const { name, text } of collected.feedback ?? []) {
    const read = readFeedback(text)
    if (typeof read === 'string') problems.push({ run_id: name, error: read })
    else given.push({ name, feedback: read })
  }
  for (const item of await feedbackItems(deps, caller, given)) items.push(item)
  for (const attachment of collected.attachments ?? []) {
    await attempt(attachment.runId, () => attachmentItem(deps, caller, attachment))
  }

  const found = await deps.ingest.submit(items.map((one) => one.item))
  found.forEach((error, at) => {
    if (error !== undefined) problems.push({ run_id: items[at]!.runId, error })
  })
  const stored = found.filter((error) => error === undefined).length
  deps.metrics.ingested(stored, 0)
  deps.metrics.acknowledged((deps.clock() - began) / 1000)
  if (stored === 0 && problems.length > 0) throw refusal(problems)
  return problems.length === 0 ? { message } : { message, errors: problems }
}

function idOf(raw: RawRun): string {
  if (raw.id !== undefined) return raw.id
  const id: unknown = safeParse(raw.main)?.id
  return typeof id === 'string' ? id : ''
}

function safeParse(text: string): { id?: unknown } | undefined {
  try {
    return JSON.parse(text) as { id?: unknown }
  } catch {
    return undefined
  }
}

function runItem(deps: ReceiveDeps, caller: Caller, raw: RawRun): IngestItem {
  return { kind: 'run', tenantId: caller.tenantId, write: normalizeRun(raw, deps.ids) }
}

/** What is wrong with feedback, as a sentence: it costs none of its neighbours. */
function readFeedback(text: string): GivenFeedback | string {
  try {
    return parseFeedback(text)
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

async function feedbackItems(
  deps: ReceiveDeps,
  { tenantId }: Caller,
  given: readonly { readonly name: string; readonly feedback: GivenFeedback }[],
): Promise<{ runId: string; item: IngestItem }[]> {
  if (given.length === 0) return []
  const rows = await prepareFeedback(
    deps,
    tenantId,
    given.map((one) => one.feedback),
  )
  return rows.map((row, at) => ({
    runId: given[at]!.name,
    item: { kind: 'feedback', tenantId, write: { kind: 'put', row } },
  }))
}

/** The bytes are durable in the blob store before the row that names them is written. */
async function attachmentItem(deps: ReceiveDeps, caller: Caller, attachment: AttachmentPart): Promise<IngestItem> {
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
  return { kind: 'row', table: 'run_attachments', json: JSON.stringify(row) }
}

/** Three problems say enough; the rest is counted. */
function refusal(problems: readonly RunProblem[]): ApiError {
  const named = problems
    .slice(0, 3)
    .map((problem) => (problem.run_id ? `run ${problem.run_id}: ${problem.error}` : problem.error))
  const more = problems.length > 3 ? ` (and ${problems.length - 3} more)` : ''
  return new ApiError('INVALID_REQUEST', `Bad request: ${named.join('; ')}${more}`, {
    problems: problems.map((problem) => ({ loc: ['run', problem.run_id], msg: problem.error, type: 'value_error' })),
  })
}
