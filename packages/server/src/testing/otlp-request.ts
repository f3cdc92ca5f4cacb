import { PbfWriter } from 'pbf'

/** A span in OTLP JSON; everything but its ids and its name has a default. */
export interface SpanJson {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind?: number
  readonly startTimeUnixNano?: string
  readonly endTimeUnixNano?: string
  readonly attributes?: readonly AttributeJson[]
  readonly events?: readonly { name: string; timeUnixNano: string; attributes?: readonly AttributeJson[] }[]
  readonly links?: readonly { traceId: string; spanId: string; attributes?: readonly AttributeJson[] }[]
  readonly status?: { readonly code?: number; readonly message?: string }
  readonly droppedAttributesCount?: number
}

export interface AttributeJson {
  readonly key: string
  readonly value: ValueJson
}

export type ValueJson =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly bytesValue: string }
  | { readonly arrayValue: { readonly values: readonly ValueJson[] } }
  | { readonly kvlistValue: { readonly values: readonly AttributeJson[] } }

export interface RequestJson {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly AttributeJson[] }
    readonly schemaUrl?: string
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version?: string }
      readonly spans: readonly SpanJson[]
    }[]
  }[]
}

/** 2026-11-01T12:00:00Z. */
const START_MS = 1_793_534_400_000

/** Nanoseconds since 1970 as text. */
export const nano = (afterMs: number) => `${BigInt(START_MS + afterMs) * 1_000_000n}`

export function aRequest(spans: readonly SpanJson[], scope = { name: 'test', version: '1.0.0' }): RequestJson {
  const attributes = [{ key: 'service.name', value: { stringValue: 'shop' } }]
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans }] }] }
}

/** Attributes of texts, numbers and booleans. */
export function toAttributes(values: Readonly<Record<string, string | number | boolean>>): AttributeJson[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }))
}

/**
 * The same request as an ExportTraceServiceRequest in protobuf.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto (trace.proto, v1.11.0)
 */
export function printProtobuf(request: RequestJson): Buffer {
  const pbf = new PbfWriter()
  for (const { resource, schemaUrl, scopeSpans } of request.resourceSpans) {
    pbf.writeMessage(
      1,
      (_, out) => {
        out.writeMessage(1, (__, inner) => writeAttributes(inner, 1, resource.attributes), undefined)
        for (const { scope, spans } of scopeSpans) {
          out.writeMessage(
            2,
            (__, inner) => {
              inner.writeMessage(1, writeScope, scope)
              for (const span of spans) inner.writeMessage(2, writeSpan, span)
            },
            undefined,
          )
        }
        if (schemaUrl !== undefined) out.writeStringField(3, schemaUrl)
      },
      undefined,
    )
  }
  return Buffer.from(pbf.finish())
}

function writeScope({ name, version }: { readonly name: string; readonly version?: string }, pbf: PbfWriter): void {
  pbf.writeStringField(1, name)
  if (version !== undefined) pbf.writeStringField(2, version)
}

function writeSpan(span: SpanJson, pbf: PbfWriter): void {
  pbf.writeBytesField(1, Buffer.from(span.traceId, 'hex'))
  pbf.writeBytesField(2, Buffer.from(span.spanId, 'hex'))
  if (span.parentSpanId !== undefined) pbf.writeBytesField(4, Buffer.from(span.parentSpanId, 'hex'))
  pbf.writeStringField(5, span.name)
  if (span.kind !== undefined) pbf.writeVarintField(6, span.kind)
  writeTime(pbf, 7, span.startTimeUnixNano)
  writeTime(pbf, 8, span.endTimeUnixNano)
  writeAttributes(pbf, 9, span.attributes)
  if (span.droppedAttributesCount !== undefined) pbf.writeVarintField(10, span.droppedAttributesCount)
  for (const event of span.events ?? []) {
    pbf.writeMessage(
      11,
      (_, out) => {
        writeTime(out, 1, event.timeUnixNano)
        out.writeStringField(2, event.name)
        writeAttributes(out, 3, event.attributes)
      },
      undefined,
    )
  }
  for (const link of span.links ?? []) {
    pbf.writeMessage(
      13,
      (_, out) => {
        out.writeBytesField(1, Buffer.from(link.traceId, 'hex'))
        out.writeBytesField(2, Buffer.from(link.spanId, 'hex'))
        writeAttributes(out, 4, link.attributes)
      },
      undefined,
    )
  }
  const { status } = span
  if (status === undefined) return
  pbf.writeMessage(
    15,
    (_, out) => {
      if (status.message !== undefined) out.writeStringField(2, status.message)
      if (status.code !== undefined) out.writeVarintField(3, status.code)
    },
    undefined,
  )
}

function writeTime(pbf: PbfWriter, field: number, time: string | undefined): void {
  if (time === undefined) return
  const value = BigInt(time)
  pbf.writeTag(field, 1)
  pbf.writeFixed32(Number(value & 0xffffffffn))
  pbf.writeFixed32(Number(value >> 32n))
}

function writeAttributes(pbf: PbfWriter, field: number, attributes: readonly AttributeJson[] = []): void {
  for (const attribute of attributes) pbf.writeMessage(field, writeAttribute, attribute)
}

function writeAttribute({ key, value }: AttributeJson, pbf: PbfWriter): void {
  pbf.writeStringField(1, key)
  pbf.writeMessage(2, writeValue, value)
}

function writeValue(value: ValueJson, pbf: PbfWriter): void {
  if ('stringValue' in value) pbf.writeStringField(1, value.stringValue)
  else if ('boolValue' in value) pbf.writeBooleanField(2, value.boolValue)
  else if ('intValue' in value) {
    pbf.writeTag(3, 0)
    writeVarint(pbf, BigInt.asUintN(64, BigInt(value.intValue)))
  } else if ('doubleValue' in value) pbf.writeDoubleField(4, value.doubleValue)
  else if ('arrayValue' in value) {
    pbf.writeMessage(
      5,
      (_, out) => {
        for (const element of value.arrayValue.values) out.writeMessage(1, writeValue, element)
      },
      undefined,
    )
  } else if ('kvlistValue' in value) {
    pbf.writeMessage(6, (_, out) => writeAttributes(out, 1, value.kvlistValue.values), undefined)
  } else pbf.writeBytesField(7, Buffer.from(value.bytesValue, 'base64'))
}

/** All digits of 64-bit integers, which the library loses. */
function writeVarint(pbf: PbfWriter, value: bigint): void {
  pbf.realloc(10)
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) pbf.buf[pbf.pos++] = Number(rest & 0x7fn) | 0x80
  pbf.buf[pbf.pos++] = Number(rest)
}
