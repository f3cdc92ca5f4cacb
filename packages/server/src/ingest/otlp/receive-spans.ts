import { ApiError } from '@touchstone/contract'
import { appendTo } from '../../append-to.ts'
import type { Deps } from '../../deps.ts'
import { parseFeedback } from '../../features/feedback/index.ts'
import type { OtlpEncoding } from '../../http/otlp-answers.ts'
import type { Caller } from '../../http/serve.ts'
import { padSpanId } from '../../storage/analytics/run-aliases.ts'
import { TimeSlices } from '../../time-slices.ts'
import type { IngestItem } from '../ingest-item.ts'
import { attachToRuns } from '../media/span-media.ts'
import type { ReceiptNotes } from '../receipts/record-receipts.ts'
import { attachmentItem, feedbackItems, type ReceiveDeps, submit } from '../receive.ts'
import { BadRun, LargeRun } from '../run-write.ts'
import { countDataPoints } from './decode/count-data-points.ts'
import { type LogRecord, readLogs, readSpans } from './decode/read-request.ts'
import { OtlpProblem } from './decode/wire-reader.ts'
import { findOtherProjects } from './find-other-projects.ts'
import { mapSpan } from './map/index.ts'
import type { MappedAttachment, MappedFeedback, MappedSpan } from './mapped-span.ts'
import type { OtlpSpan } from './span.ts'
import { type SpanWrite, toLogWrite, toRunWrite, type WriteOptions } from './to-run-write.ts'
import { guessRunId, type SpanPlace, toTraceUuid } from './tree/span-ids.ts'

export type OtlpDeps = ReceiveDeps & Pick<Deps, 'analytics' | 'caches' | 'log'>

/** An export request after decompression. */
export interface OtlpRequest {
  readonly body: Buffer
  readonly encoding: OtlpEncoding
  /** Project of spans that name none. */
  readonly projectName: string | undefined
  /** Learn what became of every span or log record. */
  readonly notes: ReceiptNotes
}

/** What the sender learns of a request of which something was stored. */
export interface OtlpReceipt {
  /** Spans or log records that were not stored; the sender must not send them again. */
  readonly rejected: number
  /** Why they were not stored, else what may be missing; '' when there is nothing to say. */
  readonly message: string
}

/**
 * Stores the spans of a request. A span that cannot be stored does not affect the others, and where a damaged request becomes
 * unreadable, the spans before are stored.
 *
 * @throws ApiError INVALID_REQUEST when nothing could be stored, PAYLOAD_TOO_LARGE when all of it was too large
 */
export async function receiveSpans(deps: OtlpDeps, caller: Caller, request: OtlpRequest): Promise<OtlpReceipt> {
  const batch = new Batch(deps, caller, request)
  await batch.read(async () => {
    for await (const span of readSpans(request.body, request.encoding)) {
      if ('ok' in span) await batch.addSpan(span.ok)
      else batch.refuse({ problem: span.problem })
    }
  })
  return batch.store('spans')
}

/**
 * Lays the log records of generative AI onto the runs of their spans; other records are not stored.
 *
 * @throws ApiError INVALID_REQUEST when nothing could be stored
 */
export async function receiveLogs(deps: OtlpDeps, caller: Caller, request: OtlpRequest): Promise<OtlpReceipt> {
  const batch = new Batch(deps, caller, request)
  const bySpan = new Map<string, LogRecord[]>()
  await batch.read(async () => {
    for await (const record of readLogs(request.body, request.encoding)) {
      if (!('ok' in record)) batch.refuse({ problem: record.problem })
      else gatherRecord(bySpan, record.ok, batch)
    }
  })
  for (const records of bySpan.values()) await batch.addLogs(records)
  return batch.store('log records')
}

/**
 * Counts metrics, of which none are stored.
 *
 * @throws ApiError INVALID_REQUEST when the body cannot be read
 */
export async function countMetrics(body: Buffer, encoding: OtlpEncoding): Promise<OtlpReceipt> {
  try {
    const rejected = await countDataPoints(body, encoding)
    return {
      rejected,
      message: rejected === 0 ? '' : 'Metrics are not stored. OTEL_METRICS_EXPORTER=none ends their export.',
    }
  } catch (error) {
    if (error instanceof OtlpProblem)
      throw new ApiError('INVALID_REQUEST', `The request cannot be read: ${error.message}.`)
    throw error
  }
}

/** Old emitters put the name of the event into an attribute. */
function gatherRecord(bySpan: Map<string, LogRecord[]>, record: LogRecord, batch: Batch): void {
  const named = record.attributes['event.name']
  const name = record.name !== '' || typeof named !== 'string' ? record.name : named
  const id = record.spanId === undefined ? '' : padSpanId(record.spanId)
  if (!name.startsWith('gen_ai.')) {
    batch.refuse({ id, problem: 'only records whose event name starts with gen_ai. are stored', isForeign: true })
  } else if (record.traceId === undefined || record.spanId === undefined) {
    batch.refuse({ id, problem: 'only records with the ids of a trace and a span are stored', isForeign: true })
  } else {
    appendTo(bySpan, `${record.traceId} ${record.spanId}`, { ...record, name })
  }
}

/** Problems that are named in an answer. */
const NAMED_PROBLEMS = 3

/** What was refused, and why. */
interface Refusal {
  /** Padded id of the span; absent when it could not be read. */
  readonly id?: string
  readonly project?: string | undefined
  readonly problem: string
  /** @default 1 */
  readonly count?: number
  /** Nothing is wrong with it, but it is not about runs: a request of nothing else is no mistake of its sender. */
  readonly isForeign?: boolean
}

/** A run to store. */
interface BatchRun {
  /** By trace and start, so that parents are mostly stored before their children. */
  readonly order: string
  /** Spans or log records that it was made from. */
  readonly count: number
  /** How receipts name it. */
  readonly id: string
  /** The id that it most likely has in the store. */
  readonly runId: string
  readonly traceId: string
  readonly project: string
  readonly item: IngestItem
}

/** The items of one request. */
class Batch {
  private readonly runs: BatchRun[] = []
  private readonly feedback: Parameters<typeof feedbackItems>[2][number][] = []
  private readonly attachments: IngestItem[] = []
  /** Spans whose messages refer to files that their instrumentation uploads beside them. */
  private readonly withMedia = new Set<string>()
  private readonly problems = new Map<string, number>()
  private readonly warnings = new Set<string>()
  private readonly slices = new TimeSlices()
  private readonly options: WriteOptions
  private readonly notes: ReceiptNotes
  private isSenderDescribed = false
  private rejected = 0
  private tooLarge = 0
  private foreign = 0

  constructor(
    private readonly deps: OtlpDeps,
    private readonly caller: Caller,
    request: OtlpRequest,
  ) {
    this.notes = request.notes
    this.options = {
      projectName: request.projectName,
      maxFieldLength: deps.config.ingest.maxPartBytes,
      nowMicros: BigInt(Math.floor(deps.clock() * 1000)),
    }
  }

  /** What cannot be read counts as one refused item: their number is unknown. */
  async read(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof OtlpProblem)) throw error
      this.refuse({ problem: `the request cannot be read: ${error.message}` })
    }
  }

  refuse({ id = '', project, problem, count = 1, isForeign = false }: Refusal): void {
    this.rejected += count
    if (isForeign) this.foreign += count
    this.problems.set(problem, (this.problems.get(problem) ?? 0) + count)
    for (let at = 0; at < count; at++) this.notes.reject({ id, project, reason: problem })
  }

  async addSpan(span: OtlpSpan): Promise<void> {
    const converted = this.convert(span, 1, () => {
      const mapped = mapSpan(span)
      return { mapped, write: toRunWrite(span, mapped, this.options) }
    })
    if (converted !== undefined) {
      const { mapped, write } = converted
      this.addRun(`${span.traceId} ${write.startTime}`, 1, write)
      await this.addRest(write.span, mapped)
      if (mapped.hasUploads) this.withMedia.add(span.spanId)
    }
    this.describeSender(span)
    if (this.slices.isUsedUp()) await this.slices.yieldToEventLoop()
  }

  async addLogs(records: readonly LogRecord[]): Promise<void> {
    const [first] = records
    if (first?.traceId === undefined || first.spanId === undefined) return
    const span: OtlpSpan = { ...EMPTY_SPAN, ...first, traceId: first.traceId, spanId: first.spanId, attributes: {} }
    const converted = this.convert(span, records.length, () => {
      const mapped = mapSpan(span, records)
      return { mapped, write: toLogWrite(span, mapped, this.options) }
    })
    if (converted !== undefined) {
      const { mapped, write } = converted
      if (write !== undefined) this.addRun(span.traceId, records.length, write)
      else if (mapped.feedback.length === 0) {
        this.refuse({ id: padSpanId(span.spanId), problem: 'they have no content', count: records.length })
      }
      await this.addRest({ otelTraceId: span.traceId, spanId: span.spanId, isRoot: false }, mapped)
    }
    if (this.slices.isUsedUp()) await this.slices.yieldToEventLoop()
  }

  private addRun(order: string, count: number, write: SpanWrite): void {
    const { span, sessionId, sessionName } = write
    const id = span.runId ?? padSpanId(span.spanId)
    const traceId = span.traceId ?? toTraceUuid(span.otelTraceId)
    const project = sessionId ?? sessionName ?? (span.isLog ? '' : 'default')
    const item = { kind: 'run', tenantId: this.caller.tenantId, write } as const
    this.runs.push({ order, count, id, runId: write.id, traceId, project, item })
  }

  /** The first span names the client of all. */
  private describeSender({ resource: { attributes }, scope }: OtlpSpan): void {
    if (this.isSenderDescribed) return
    this.isSenderDescribed = true
    const parts = ['telemetry.sdk.name', 'telemetry.sdk.language', 'telemetry.sdk.version'].map(
      (key) => attributes[key],
    )
    const sdk = [...parts, scope.name && `(${scope.name} ${scope.version})`]
    this.notes.describeSender({ sdk: sdk.filter((part) => typeof part === 'string' && part !== '').join(' ') })
  }

  /** If our own code fails on a span, the others of the request are still stored. */
  private convert<Converted>({ spanId }: OtlpSpan, count: number, make: () => Converted): Converted | undefined {
    try {
      return make()
    } catch (error) {
      const isBad = error instanceof BadRun
      if (!isBad) this.deps.log.error({ err: error }, 'a span could not be converted')
      const problem = isBad ? error.message : 'the server could not convert it; see its log'
      this.refuse({ id: padSpanId(spanId), project: this.options.projectName, problem, count })
      if (error instanceof LargeRun) this.tooLarge += count
      return undefined
    }
  }

  private async addRest(place: SpanPlace, { attachments, feedback, warnings }: MappedSpan): Promise<void> {
    for (const warning of warnings) this.warn(place, warning)
    for (const attachment of attachments) await this.addAttachment(place, attachment)
    for (const one of feedback) this.addFeedback(place, one)
  }

  private warn({ runId, spanId }: SpanPlace, reason: string): void {
    if (this.warnings.size < NAMED_PROBLEMS) this.warnings.add(reason)
    this.notes.warn({ id: runId ?? padSpanId(spanId), project: this.options.projectName, reason })
  }

  private async addAttachment(place: SpanPlace, { name, mimeType, bytes }: MappedAttachment): Promise<void> {
    const { maxAttachmentBytes } = this.deps.config.ingest
    if (bytes.length > maxAttachmentBytes) {
      this.warn(place, `attachment ${name.slice(0, 100)} has ${bytes.length} bytes, more than ${maxAttachmentBytes}`)
      return
    }
    const part = { name, contentType: mimeType, fileName: undefined, bytes }
    const attachment = { runId: guessRunId(place), name: name.toWellFormed(), part }
    this.attachments.push(await attachmentItem(this.deps, this.caller, attachment))
  }

  /** Feedback on a span carries the padded id, which leads to its run. */
  private addFeedback(place: SpanPlace, { id, target, key, score, value, comment }: MappedFeedback): void {
    const trace_id = place.traceId ?? toTraceUuid(place.otelTraceId)
    const run_id = target === 'run' ? (place.runId ?? padSpanId(place.spanId)) : trace_id
    const thread = target === 'thread' && place.thread !== undefined && { feedback_thread_id: place.thread }
    const text = JSON.stringify({ id, run_id, trace_id, key, score, value, comment, ...thread })
    try {
      this.feedback.push({ name: run_id, feedback: parseFeedback(text) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.warn(place, error.message)
    }
  }

  /** Stores what was added. @param what  name of the items in messages */
  async store(what: string): Promise<OtlpReceipt> {
    const { deps, caller } = this
    const began = deps.clock()
    const runs = this.runs.sort((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)))
    const feedback = await feedbackItems(deps, caller, this.feedback)
    for (const { error } of feedback.problems) this.warnings.add(error)
    const others = [...this.attachments, ...feedback.items.map(({ item }) => item)]
    const failures = await submit(deps.ingest, [...runs.map(({ item }) => item), ...others])
    for (const { item, count, id, traceId, project } of runs) {
      const problem = failures.get(item)
      if (problem === undefined) this.notes.accept({ id, traceId, project })
      else this.refuse({ id, project, problem, count })
    }
    for (const item of others) {
      const problem = failures.get(item)
      if (problem !== undefined) this.warnings.add(problem)
    }
    await this.warnOfOtherProjects(runs.filter(({ item }) => !failures.has(item)))
    if (this.withMedia.size > 0) await attachToRuns(deps, caller.tenantId, [...this.withMedia])
    const stored = runs.length + others.length - failures.size
    deps.metrics.ingested(stored, 0)
    deps.metrics.acknowledged((deps.clock() - began) / 1000)
    if (stored === 0 && this.rejected > this.foreign) throw this.refusal(what)
    return { rejected: this.rejected, message: this.rejected > 0 ? this.describe(what) : [...this.warnings].join(' ') }
  }

  private async warnOfOtherProjects(runs: readonly BatchRun[]): Promise<void> {
    const sent = runs.flatMap(({ id, runId, traceId, project }) =>
      project === '' ? [] : [{ id: runId, spanId: id, traceId, project }],
    )
    for (const [{ spanId, project }, stored] of await findOtherProjects(this.deps, this.caller.tenantId, sent)) {
      const reason = `This span is stored in project ${stored.slice(0, 200)}, to which it was sent first; project ${project.slice(0, 200)} does not show it.`
      if (this.warnings.size < NAMED_PROBLEMS) this.warnings.add(reason)
      this.notes.warn({ id: spanId, project, reason })
    }
  }

  private refusal(what: string): ApiError {
    const isTooLarge = this.tooLarge === this.rejected
    return new ApiError(isTooLarge ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST', this.describe(what))
  }

  private describe(what: string): string {
    const named = [...this.problems].slice(0, NAMED_PROBLEMS).map(([problem, count]) => `${count} × ${problem}`)
    const more = this.problems.size > NAMED_PROBLEMS ? `; and ${this.problems.size - NAMED_PROBLEMS} other reasons` : ''
    return `${this.rejected} ${what} were not stored: ${named.join('; ')}${more}`
  }
}

const EMPTY_SPAN = {
  name: '',
  kind: 0,
  startNano: 0n,
  events: [],
  links: [],
  status: { code: 0, message: '' },
  traceState: '',
  droppedAttributes: 0,
  droppedEvents: 0,
  droppedLinks: 0,
} as const
