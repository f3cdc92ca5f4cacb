import { isObject } from '../guards.ts'
import { reportProblem } from '../logger.ts'
import { findContextRunTree } from '../tracing/context.ts'
import { addContextSource } from '../tracing/context-sources.ts'
import type { RunDestination } from '../tracing/destination.ts'
import { formatMicroseconds, formatSegment } from '../tracing/dotted-order.ts'
import { RunTree } from '../tracing/run-tree.ts'
import type { TracingClientInterface } from '../tracing/tracing-client.ts'
import { type ExportCallback, LangSmithOTLPTraceExporter, SPAN_ADDRESSES } from './exporter.ts'
import {
  PARENT_ID,
  PROJECT_NAME,
  type ReadableSpan,
  readParentSpanId,
  TRACE_ID,
  toRunId,
  toTraceUuid,
  type WritableSpan,
} from './span.ts'

interface SpanExporter {
  // biome-ignore lint/suspicious/noExplicitAny: the exporters of every version of OpenTelemetry
  export(spans: any[], done: ExportCallback): void
  forceFlush?(): Promise<void>
  shutdown(): Promise<void>
  /** Where this package's exporter sends spans; runs of traced functions inside of spans go there too. */
  readDestination?(): RunDestination
}

export interface LangSmithOTLPSpanProcessorConfig {
  /** Sends the runs of traced functions that are called inside spans. @default the shared client */
  client?: TracingClientInterface | undefined
  /** Whether a span is sent. Spans below one that is not appear under the root of their trace. @default every span */
  // biome-ignore lint/suspicious/noExplicitAny: the spans of every version of OpenTelemetry
  filter?: ((span: any) => boolean) | undefined
  /** Spans that wait; beyond it new ones are dropped with a warning. @default 2048 */
  maxQueueSize?: number | undefined
  /** Spans per request. @default 512 */
  maxExportBatchSize?: number | undefined
  /** Maximum milliseconds that a span waits for others. @default 250 */
  scheduledDelayMillis?: number | undefined
}

const SAMPLED = 1

/**
 * Sends spans in batches, and makes spans and the runs of this package one trace: a span that starts inside a traced
 * function is below its run, and a traced function that is called inside a span is below the span. Traced functions inside
 * spans are recorded whether or not tracing is on in the environment.
 *
 * @example new NodeTracerProvider({ spanProcessors: [new LangSmithOTLPSpanProcessor()] })
 */
export class LangSmithOTLPSpanProcessor {
  readonly #exporter: SpanExporter
  readonly #config: LangSmithOTLPSpanProcessorConfig
  /** Stand for the runs that the server makes of spans that have not ended. */
  readonly #runs = new Map<string, RunTree>()
  readonly #standIns = new WeakSet<RunTree>()
  readonly #removeSource: () => void
  #queue: ReadableSpan[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()
  #dropped = 0
  #isShutDown = false

  constructor(
    exporter: SpanExporter = new LangSmithOTLPTraceExporter(),
    config: LangSmithOTLPSpanProcessorConfig = {},
  ) {
    this.#exporter = exporter
    this.#config = config
    this.#removeSource = addContextSource(() => this.#findCurrentRun())
  }

  // biome-ignore lint/suspicious/noExplicitAny: the spans of every version of OpenTelemetry
  onStart(span: any, _parentContext?: unknown): void {
    try {
      this.#place(span as WritableSpan)
    } catch (error) {
      this.#report(`Could not place a span among the runs of its process: ${error}`)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the spans of every version of OpenTelemetry
  onEnd(span: any): void {
    const { spanId, traceFlags } = (span as ReadableSpan).spanContext()
    this.#runs.delete(spanId)
    if (this.#isShutDown || (traceFlags & SAMPLED) === 0 || this.#config.filter?.(span) === false) return
    if (this.#queue.length >= (this.#config.maxQueueSize ?? 2048)) return void this.#dropped++
    this.#queue.push(span as ReadableSpan)
    if (this.#queue.length >= this.#batchSize) this.#sendQueue()
    else this.#timer ??= setTimeout(() => this.#sendQueue(), this.#config.scheduledDelayMillis ?? 250)
  }

  /** Sends what has ended, and waits until it was delivered or given up. */
  async forceFlush(): Promise<void> {
    this.#sendQueue()
    await this.#sending
    await this.#exporter.forceFlush?.()
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true
    this.#removeSource()
    await this.forceFlush()
    await this.#exporter.shutdown()
  }

  get #batchSize(): number {
    return this.#config.maxExportBatchSize ?? 512
  }

  #sendQueue(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#dropped > 0) this.#report(`Dropped ${this.#dropped} spans: the queue was full.`)
    this.#dropped = 0
    const waiting = this.#queue
    this.#queue = []
    for (let at = 0; at < waiting.length; at += this.#batchSize) {
      const batch = waiting.slice(at, at + this.#batchSize)
      this.#sending = this.#sending.then(
        () =>
          new Promise<void>((resolve) => {
            try {
              this.#exporter.export(batch, () => resolve())
            } catch (error) {
              this.#report(`Could not export ${batch.length} spans: ${error}`)
              resolve()
            }
          }),
      )
    }
  }

  /** Finds the run above a span, names it in the attributes of the span where it is no span, and remembers the span. */
  #place(span: WritableSpan): void {
    const { traceId, spanId } = span.spanContext()
    const parentSpanId = readParentSpanId(span)
    const spanAbove = parentSpanId === undefined ? undefined : this.#runs.get(parentSpanId)
    const current = findContextRunTree()
    // Code inside of a span may have called a traced function that starts this one.
    const isCurrentNearer = current !== undefined && !this.#standIns.has(current) && isBelow(current, spanAbove)
    // A parent in another process is known by its id only, and may itself be anywhere in the trace.
    const isFree = spanAbove !== undefined || parentSpanId === undefined
    const runAbove = isCurrentNearer && isFree && current.tracingEnabled !== false ? current : undefined
    const parent = runAbove ?? spanAbove

    const ownTrace = toTraceUuid(traceId)
    const trace = parent?.trace_id ?? ownTrace
    if (runAbove !== undefined) span.setAttribute(PARENT_ID, runAbove.id)
    if (trace !== ownTrace) span.setAttribute(TRACE_ID, trace)
    // Otherwise it is in the project that the exporter names.
    if (trace !== ownTrace && parent?.project_name) span.setAttribute(PROJECT_NAME, parent.project_name)
    if (parent?.address) SPAN_ADDRESSES.set(span, parent.address)
    const id = parent === undefined && parentSpanId === undefined ? ownTrace : toRunId(spanId)
    this.#remember(span, { id, trace, parent })
  }

  #remember(span: ReadableSpan, place: { id: string; trace: string; parent: RunTree | undefined }): void {
    const { id, trace, parent } = place
    const [seconds, nanoseconds] = span.startTime
    const startMs = seconds * 1000 + Math.floor(nanoseconds / 1_000_000)
    const start = formatMicroseconds(startMs, 1)
    const above = parent?.dotted_order ?? (id === trace ? undefined : formatSegment(start, trace))
    const segment = formatSegment(start, id)
    const run = new RunTree({
      name: span.name,
      id,
      trace_id: trace,
      dotted_order: above === undefined ? segment : `${above}.${segment}`,
      start_time: startMs,
      client: parent ? parent.client : this.#config.client,
      ...(parent ? readDestination(parent) : this.#exporter.readDestination?.()),
      tracingEnabled: true,
    })
    this.#standIns.add(run)
    this.#runs.set(span.spanContext().spanId, run)
  }

  #findCurrentRun(): RunTree | undefined {
    if (this.#runs.size === 0) return undefined
    const spanId = readActiveSpanId()
    return spanId === undefined ? undefined : this.#runs.get(spanId)
  }

  #report(message: string): void {
    reportProblem(this.#config.client ?? this.#exporter, message)
  }
}

const readDestination = ({ project_name, address }: RunTree): RunDestination => ({ project_name, address })

function isBelow(run: RunTree, above: RunTree | undefined): boolean {
  return above === undefined || run.dotted_order.startsWith(`${above.dotted_order}.`)
}

/** OpenTelemetry's API has its context manager in a global variable, and the active span under this key. */
const API = Symbol.for('opentelemetry.js.api.1')
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')

interface OpenTelemetryApi {
  context?: { active(): { getValue(key: symbol): unknown } }
}

function readActiveSpanId(): string | undefined {
  const api = (globalThis as Record<symbol, unknown>)[API] as OpenTelemetryApi | undefined
  const span = api?.context?.active().getValue(SPAN_KEY)
  return isObject(span) && typeof span.spanContext === 'function'
    ? (span as unknown as ReadableSpan).spanContext().spanId
    : undefined
}
