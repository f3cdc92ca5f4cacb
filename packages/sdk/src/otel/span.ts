/**
 * The parts of spans of OpenTelemetry's SDK that are used. Its packages are not dependencies: versions 1 and 2 have these
 * members.
 */
export interface ReadableSpan {
  readonly name: string
  readonly kind: number
  spanContext(): SpanContext
  /** Version 2. */
  readonly parentSpanContext?: SpanContext | undefined
  /** Version 1. */
  readonly parentSpanId?: string | undefined
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly SpanLink[]
  readonly events: readonly SpanEvent[]
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
  /** Version 2. */
  readonly instrumentationScope?: Scope | undefined
  /** Version 1. */
  readonly instrumentationLibrary?: Scope | undefined
  readonly droppedAttributesCount?: number
  readonly droppedEventsCount?: number
  readonly droppedLinksCount?: number
}

/** A span that has not ended. */
export interface WritableSpan extends ReadableSpan {
  setAttribute(name: string, value: string): unknown
}

export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean | undefined
  readonly traceState?: { serialize(): string } | undefined
}

/** Seconds and nanoseconds. */
export type HrTime = readonly [seconds: number, nanoseconds: number]

export interface Scope {
  readonly name: string
  readonly version?: string | undefined
  readonly schemaUrl?: string | undefined
}

interface SpanLink {
  readonly context: SpanContext
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
  readonly droppedAttributesCount?: number | undefined
}

interface SpanEvent {
  readonly name: string
  readonly time: HrTime
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
  readonly droppedAttributesCount?: number | undefined
}

export const TRACE_ID = 'langsmith.trace.id'
export const PARENT_ID = 'langsmith.span.parent_id'
export const PROJECT_NAME = 'langsmith.trace.session_name'

export function readParentSpanId({ parentSpanContext, parentSpanId }: ReadableSpan): string | undefined {
  return (parentSpanContext?.spanId ?? parentSpanId) || undefined
}

/** The ids that the server gives to the runs of spans. */
export const toTraceUuid = (traceId: string) => toUuid(traceId)
export const toRunId = (spanId: string) => toUuid(spanId.padStart(32, '0'))

function toUuid(hex: string): string {
  return hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The trace that a span belongs to on the server. */
export function readTraceId(span: ReadableSpan): string {
  const named = span.attributes[TRACE_ID]
  return typeof named === 'string' ? named : toTraceUuid(span.spanContext().traceId)
}
