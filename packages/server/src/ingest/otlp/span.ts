import type { Digits } from '@touchstone/formats/exact-json'

/**
 * A span as it was received, whatever the encoding of the request was: protobuf, OTLP JSON and gRPC give the same value
 * for the same span.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto (trace.proto, v1.11.0)
 */
export interface OtlpSpan {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** 16 lower-case hex digits; absent for the root of a trace. */
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: number
  /** Nanoseconds since the epoch. */
  readonly startNano: bigint
  /** Absent when the span has not ended; some emitters send 0. */
  readonly endNano?: bigint | undefined
  readonly attributes: OtlpAttributes
  readonly events: readonly OtlpEvent[]
  readonly links: readonly OtlpLink[]
  readonly status: { readonly code: SpanStatusCode; readonly message: string }
  readonly traceState: string
  readonly droppedAttributes: number
  readonly droppedEvents: number
  readonly droppedLinks: number
  readonly resource: OtlpResource
  readonly scope: OtlpScope
}

/** A value of an attribute. Bytes are base64 text; NaN and infinities are text; integers beyond 2^53 keep their digits. */
export type OtlpValue =
  | string
  | number
  | boolean
  | null
  | Digits
  | readonly OtlpValue[]
  | { readonly [key: string]: OtlpValue }

/** Attributes by key, without a prototype: keys come from outside. */
export type OtlpAttributes = Readonly<Record<string, OtlpValue>>

/** An event of a span, or a log record that carries the ids of its span. */
export interface OtlpEvent {
  readonly name: string
  readonly timeNano: bigint
  readonly attributes: OtlpAttributes
  /** Body of a log record. */
  readonly body?: OtlpValue | undefined
}

export interface OtlpLink {
  readonly traceId: string
  readonly spanId: string
  readonly traceState: string
  readonly attributes: OtlpAttributes
}

export interface OtlpResource {
  readonly attributes: OtlpAttributes
  readonly schemaUrl: string
}

export interface OtlpScope {
  readonly name: string
  readonly version: string
  readonly attributes: OtlpAttributes
  readonly schemaUrl: string
}

/** 0 unset, 1 ok, 2 error. */
export type SpanStatusCode = 0 | 1 | 2
