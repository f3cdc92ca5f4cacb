import type { PendingWrite } from '../../place-writes.ts'
import { toPathSegment } from '../../run-path.ts'
import type { RunWrite } from '../../run-write.ts'
import { type SpanPlace, toTraceUuid } from './span-ids.ts'
import type { KnownRun } from './trace-facts.ts'

export type SpanWrite = PendingWrite & {
  readonly write: RunWrite & { readonly span: SpanPlace }
  /** What came, if the span got another id because another span has its own. */
  readonly origin?: PendingWrite
}

/** The spans and log records of one trace in a block, by start. */
export interface TraceSpans {
  readonly traceId: string
  readonly spans: readonly SpanWrite[]
}

export const isSpan = (pending: PendingWrite): pending is SpanWrite => pending.write.span !== undefined

export const isLog = ({ write }: SpanWrite) => write.span.isLog === true

/** Spans of an OpenTelemetry trace belong to one trace here, also when only one of them names the trace of an SDK. */
export function groupByTrace(pending: readonly SpanWrite[]): TraceSpans[] {
  const named = new Map<string, string>()
  for (const { write } of pending) {
    const { otelTraceId, traceId, runId, isRoot } = write.span
    const own = traceId ?? (isRoot ? runId : undefined)
    if (own !== undefined && !named.has(otelTraceId)) named.set(otelTraceId, own)
  }
  const groups = new Map<string, SpanWrite[]>()
  for (const one of pending) {
    const { otelTraceId, traceId } = one.write.span
    const id = traceId ?? named.get(otelTraceId) ?? toTraceUuid(otelTraceId)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [one])
    else group.push(one)
  }
  return [...groups].map(([traceId, spans]) => ({ traceId, spans: spans.sort(byStart) }))
}

function byStart({ write: a }: SpanWrite, { write: b }: SpanWrite): number {
  const [first, second] = [`${a.startTime} ${a.span.spanId}`, `${b.startTime} ${b.span.spanId}`]
  return first < second ? -1 : Number(first > second)
}

/** The spans without the log records, as the placement of a trace takes them. */
export const toNewSpans = (spans: readonly SpanWrite[]) =>
  spans.filter((span) => !isLog(span)).map(({ write }) => ({ place: write.span, startTime: write.startTime ?? '' }))

/** The thread that one of the spans names. */
export const findThread = (spans: readonly SpanWrite[]) =>
  spans.find(({ write }) => write.span.thread !== undefined)?.write.span.thread

/** Runs that an SDK sends in the same block, by trace. */
export function findOwnRuns(pending: readonly PendingWrite[]): ReadonlyMap<string, [string, KnownRun][]> {
  const byTrace = new Map<string, [string, KnownRun][]>()
  for (const { write } of pending) {
    const { id, span, parentRunId = null, startTime } = write
    if (span !== undefined) continue
    const isRoot = write.kind === 'post' && parentRunId === null && (write.traceId ?? id) === id
    const traceId = write.traceId ?? (isRoot ? id : undefined)
    // Without a path, the merge gives a root this one.
    const ownPath = isRoot && startTime !== undefined ? toPathSegment(startTime, id) : undefined
    const dottedOrder = write.dottedOrder ?? ownPath
    if (traceId === undefined || dottedOrder === undefined) continue
    const ofTrace = byTrace.get(traceId) ?? []
    byTrace.set(traceId, ofTrace)
    ofTrace.push([id, { id, parentRunId, dottedOrder }])
  }
  return byTrace
}

/** The latest end of the runs that an SDK sends in the same block, by trace. */
export function findOwnEnds(pending: readonly PendingWrite[]): ReadonlyMap<string, string> {
  const byTrace = new Map<string, string>()
  for (const { write } of pending) {
    const { span, traceId, endTime } = write
    if (span !== undefined || traceId === undefined || endTime === undefined) continue
    if (endTime > (byTrace.get(traceId) ?? '')) byTrace.set(traceId, endTime)
  }
  return byTrace
}
