import { parseUuid, timeOfMicros } from '@touchstone/contract'
import { printJson } from '@touchstone/formats/exact-json'
import { asRecord } from '@touchstone/formats/guards'
import { parseDottedOrder } from '../run-path.ts'
import { BadRun, LargeRun, RawPayload, type RunWrite } from '../run-write.ts'
import type { MappedSpan } from './mapped-span.ts'
import type { OtlpSpan } from './span.ts'
import { guessRunId, type SpanPlace, toSpanIdOfRun, toTraceUuid } from './tree/span-ids.ts'

export interface WriteOptions {
  /** Project of spans that name none. */
  readonly projectName: string | undefined
  /** Characters of one field. */
  readonly maxFieldLength: number
  /** Microseconds since 1970, for spans without a start. */
  readonly nowMicros: bigint
}

/** A write of a run that knows the span it came from. */
export type SpanWrite = RunWrite & { readonly span: SpanPlace }

/**
 * The create of the run of a span.
 *
 * @throws BadRun when it cannot be stored
 */
export function toRunWrite(span: OtlpSpan, mapped: MappedSpan, options: WriteOptions): SpanWrite {
  const place = toSpanPlace(span, mapped)
  const times = toTimes(span, options)
  const payload = (name: string, value: unknown) => printPayload(name, value, options.maxFieldLength)
  const payloads = {
    inputs: payload('inputs', mapped.inputs),
    outputs: payload('outputs', mapped.outputs),
    extra: payload('extra', toExtra(span, mapped)),
    events: mapped.events.length === 0 ? undefined : payload('events', mapped.events),
  }
  const { error } = mapped
  if (error !== undefined && error.length > options.maxFieldLength) throw tooLarge('error', error.length, options)
  return {
    kind: 'post',
    id: guessRunId(place),
    ...toProject(mapped, options),
    name: mapped.name.toWellFormed() || undefined,
    runType: mapped.runType,
    ...times,
    error: error?.toWellFormed() || undefined,
    referenceExampleId: parseUuid(mapped.referenceExampleId),
    tags: mapped.tags?.map((tag) => tag.toWellFormed()),
    ...payloads,
    span: span.startNano === 0n ? { ...place, hasNoStart: true } : place,
    bytes: 500 + Object.values(payloads).reduce((sum, one) => sum + (one?.text.length ?? 0), error?.length ?? 0),
  }
}

/**
 * What log records say about the run of their span, as an update: they usually arrive before the span. Undefined when they say
 * nothing.
 *
 * @throws BadRun when it cannot be stored
 */
export function toLogWrite(span: OtlpSpan, mapped: MappedSpan, options: WriteOptions): SpanWrite | undefined {
  const inputs = printPayload('inputs', mapped.inputs, options.maxFieldLength)
  const outputs = printPayload('outputs', mapped.outputs, options.maxFieldLength)
  const { error } = mapped
  if (inputs === undefined && outputs === undefined && error === undefined) return undefined
  if (error !== undefined && error.length > options.maxFieldLength) throw tooLarge('error', error.length, options)
  const place = { otelTraceId: span.traceId, spanId: span.spanId, isRoot: false, isLog: true }
  const bytes = 500 + (inputs?.text.length ?? 0) + (outputs?.text.length ?? 0) + (error?.length ?? 0)
  return { kind: 'patch', id: guessRunId(place), inputs, outputs, error: error?.toWellFormed(), span: place, bytes }
}

/** The name of the tracer of the Python client of LangSmith. */
const LANGSMITH_SCOPE = 'langsmith'

function toSpanPlace(span: OtlpSpan, { ids, thread }: Pick<MappedSpan, 'ids' | 'thread'>): SpanPlace {
  const { traceId: otelTraceId, spanId, parentSpanId } = span
  const path = ids.dottedOrder === undefined ? undefined : parseDottedOrder(ids.dottedOrder)?.ids
  const runId = parseUuid(ids.runId) ?? path?.at(-1)
  // A path to another run would hide this one.
  const dottedOrder = path !== undefined && path.at(-1) === runId ? ids.dottedOrder : undefined
  const traceId = (dottedOrder === undefined ? undefined : path?.[0]) ?? parseUuid(ids.traceId)
  const parentRunId = parseUuid(ids.parentRunId)
  // This client gives its roots a parent that is never exported: the first 8 bytes of the id of the root's run.
  const isRootOfClient =
    span.scope.name === LANGSMITH_SCOPE && parentSpanId === toSpanIdOfRun(traceId ?? toTraceUuid(otelTraceId))
  const hasParent = parentRunId !== undefined || (dottedOrder !== undefined && (path?.length ?? 0) > 1)
  const isRoot = !hasParent && (ids.isRoot || parentSpanId === undefined || isRootOfClient)
  return {
    otelTraceId,
    spanId,
    parentSpanId,
    isRoot,
    runId,
    traceId,
    parentRunId,
    dottedOrder,
    thread: thread || undefined,
    ...(isRoot && span.links.length > 0 && { linkedTraceId: findLinkedTrace(span) }),
  }
}

/** The other trace that the links name; a span that gathers the work of several traces belongs to none of them. */
function findLinkedTrace({ traceId, links }: OtlpSpan): string | undefined {
  const [first, ...more] = new Set(links.map((link) => link.traceId).filter((id) => id !== traceId))
  return first === undefined || more.length > 0 ? undefined : toTraceUuid(first)
}

function toProject({ sessionId, sessionName }: MappedSpan, { projectName }: WriteOptions) {
  const id = parseUuid(sessionId)
  if (id !== undefined) return { sessionId: id }
  return { sessionName: (sessionName || projectName)?.toWellFormed() }
}

/** The times of the column store are up to this one; nanoseconds reach the year 2554. */
const LATEST_MICROS = BigInt(Date.UTC(2299, 11, 31)) * 1000n

function toTimes({ startNano, endNano }: OtlpSpan, { nowMicros }: WriteOptions) {
  const start = startNano / 1000n || (endNano ?? 0n) / 1000n || nowMicros
  const end = endNano === undefined ? start : endNano / 1000n
  if (start >= LATEST_MICROS || end >= LATEST_MICROS) throw new BadRun('its time is after the year 2298')
  return { startTime: timeOfMicros(start), endTime: timeOfMicros(end) }
}

function toExtra(span: OtlpSpan, { extra, warnings }: MappedSpan): MappedSpan['extra'] {
  const hasNoEnd = span.endNano === undefined
  if (!hasNoEnd && warnings.length === 0) return extra
  const otel = {
    ...asRecord(extra.otel),
    ...(hasNoEnd && { has_no_end: true }),
    ...(warnings.length > 0 && { warnings }),
  }
  return { ...extra, otel }
}

function printPayload(name: string, value: unknown, maxLength: number): RawPayload | undefined {
  if (value === undefined) return undefined
  const text = print(name, value)
  if (text.length > maxLength) throw tooLarge(name, text.length, { maxFieldLength: maxLength })
  // The value is parsed again where a column is derived from it, and only outlined when it is large.
  return RawPayload.trusted(text)
}

function print(name: string, value: unknown): string {
  try {
    return printJson(value)
  } catch (error) {
    if (error instanceof RangeError) throw new BadRun(`${name} is nested too deeply`)
    throw error
  }
}

function tooLarge(name: string, length: number, { maxFieldLength }: Pick<WriteOptions, 'maxFieldLength'>): LargeRun {
  return new LargeRun(`${name} has ${length} characters, more than the limit of ${maxFieldLength}`)
}
