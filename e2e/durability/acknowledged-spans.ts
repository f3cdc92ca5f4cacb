import { createHash, randomBytes, randomInt } from 'node:crypto'
import { postJson } from '../support/raw-ingest.ts'

/** What the server has promised to hold of a span's run. */
interface PromisedSpan {
  /** Text of the input, with its own checksum. */
  readonly input: string
  readonly traceId: string
  /** Id of the parent's run; null for a root. Undefined while the parent is not acknowledged. */
  parentRunId: string | null | undefined
}

/** A ledger of every acknowledged span by the id of its run, kept outside the server. */
export class SpanLedger {
  readonly #promises = new Map<string, PromisedSpan>()
  readonly #unchecked = new Set<string>()

  get size() {
    return this.#promises.size
  }

  acknowledged(runId: string, promise: PromisedSpan) {
    this.#promises.set(runId, promise)
    this.#unchecked.add(runId)
  }

  /** A span of the trace arrived after its children. */
  placed(runId: string, parentRunId: string | null) {
    const promise = this.#promises.get(runId)
    if (promise !== undefined) promise.parentRunId = parentRunId
    this.#unchecked.add(runId)
  }

  /** Runs acknowledged or changed since the last call; `all` gives every one ever. */
  toCheck(all: boolean): string[] {
    const ids = all ? [...this.#promises.keys()] : [...this.#unchecked]
    this.#unchecked.clear()
    return ids
  }

  promise(runId: string): PromisedSpan {
    return this.#promises.get(runId)!
  }
}

/**
 * One exporter's life: sends traces span by span or in groups, children before their root as exporters do, until
 * `signal` ends it. Failures are expected (the server dies under it) and end the trace.
 */
export async function exportUntil(signal: AbortSignal, serverUrl: string, ledger: SpanLedger): Promise<void> {
  while (!signal.aborted) await exportTrace(signal, serverUrl, ledger).catch(wait)
}

async function exportTrace(signal: AbortSignal, serverUrl: string, ledger: SpanLedger): Promise<void> {
  const traceId = randomBytes(16).toString('hex')
  const rootId = randomBytes(8).toString('hex')
  const children = Array.from({ length: randomInt(1, 12) }, () => aSpan(traceId, rootId))
  const split = randomInt(0, children.length + 1)
  const root = { ...aSpan(traceId, undefined), spanId: rootId }
  for (const spans of [children.slice(0, split), [...children.slice(split), root]]) {
    if (spans.length === 0 || signal.aborted) continue
    const isLast = spans.includes(root)
    const body = { resourceSpans: [{ scopeSpans: [{ scope: { name: 'durability' }, spans: spans.map(printSpan) }] }] }
    const { status } = await postJson(`${serverUrl}/otel/v1/traces`, JSON.stringify(body))
    if (status !== 200) return wait()
    for (const span of spans) {
      const parentRunId = span === root ? null : isLast ? toUuid(traceId) : undefined
      ledger.acknowledged(runIdOf(span), { input: span.input, traceId: toUuid(traceId), parentRunId })
    }
    if (isLast) for (const span of children) ledger.placed(runIdOf(span), toUuid(traceId))
  }
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly input: string
}

function aSpan(traceId: string, parentSpanId: string | undefined): SentSpan {
  const data = randomBytes(randomInt(10, 3000)).toString('base64')
  const input = `${data} ${createHash('sha256').update(data).digest('hex')}`
  return { traceId, spanId: randomBytes(8).toString('hex'), parentSpanId, input }
}

function printSpan({ input, ...span }: SentSpan) {
  const start = BigInt(Date.now()) * 1_000_000n
  return {
    ...span,
    name: span.parentSpanId === undefined ? 'root' : 'child',
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [{ key: 'input.value', value: { stringValue: input } }],
  }
}

/** A root has the id of its trace; other spans have their own, padded with zeros. */
function runIdOf({ traceId, spanId, parentSpanId }: SentSpan): string {
  return parentSpanId === undefined ? toUuid(traceId) : toUuid(spanId.padStart(32, '0'))
}

const toUuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 5))

/**
 * Compares what the server holds with what it promised.
 *
 * @returns a sentence for each broken promise
 */
export async function findBrokenSpans(
  serverUrl: string,
  ledger: SpanLedger,
  runIds: readonly string[],
): Promise<string[]> {
  const broken: string[] = []
  for (let at = 0; at < runIds.length; at += 100) {
    const page = runIds.slice(at, at + 100)
    const held = await readMany(serverUrl, page)
    for (const id of page) {
      const problem = judge(ledger.promise(id), held.get(id))
      if (problem !== undefined) broken.push(`${id}: ${problem}`)
    }
  }
  return broken
}

interface HeldRun {
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly inputs: { readonly input?: string }
}

function judge(promise: PromisedSpan, held: HeldRun | undefined): string | undefined {
  if (held === undefined) return 'is not there'
  if (held.inputs.input !== promise.input) return 'has another input'
  if (held.trace_id !== promise.traceId) return `is in trace ${held.trace_id} instead of ${promise.traceId}`
  if (promise.parentRunId === undefined || held.parent_run_id === promise.parentRunId) return undefined
  return `has the parent ${held.parent_run_id} instead of ${promise.parentRunId}`
}

async function readMany(serverUrl: string, runIds: readonly string[]): Promise<Map<string, HeldRun>> {
  const select = ['id', 'trace_id', 'parent_run_id', 'inputs']
  const { status, text } = await postJson(`${serverUrl}/runs/query`, JSON.stringify({ id: runIds, select, limit: 100 }))
  if (status !== 200) throw new Error(`The query was answered ${status}: ${text}`)
  const { runs } = JSON.parse(text) as { runs: HeldRun[] }
  return new Map(runs.map((run) => [run.id, run]))
}
