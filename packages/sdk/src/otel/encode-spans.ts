import type { HrTime, ReadableSpan } from './span.ts'
import { readParentSpanId } from './span.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Spans as OTLP JSON, in groups by resource and scope. */
export function encodeSpans(spans: readonly ReadableSpan[]): object {
  const resources = groupBy(spans, ({ resource }) => resource)
  return {
    resourceSpans: [...resources].map(([resource, ofResource]) => {
      const scopes = groupBy(ofResource, ({ instrumentationScope, instrumentationLibrary }) => {
        const { name = '', version = '' } = instrumentationScope ?? instrumentationLibrary ?? {}
        return `${name}\n${version}`
      })
      return {
        resource: { attributes: encodeAttributes(resource.attributes) },
        scopeSpans: [...scopes].map(([scope, ofScope]) => {
          const [name, version] = scope.split('\n')
          return { scope: { name, version }, spans: ofScope.map(encodeSpan) }
        }),
      }
    }),
  }
}

function encodeSpan(span: ReadableSpan): object {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const parentSpanId = readParentSpanId(span)
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState && { traceState: traceState.serialize() }),
    flags: traceFlags,
    name: span.name,
    // The numbers of the protocol have one for "unspecified" before them.
    kind: span.kind + 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: encodeAttributes(span.attributes),
    droppedAttributesCount: span.droppedAttributesCount ?? 0,
    events: span.events.map(({ name, time, attributes = {}, droppedAttributesCount = 0 }) => ({
      name,
      timeUnixNano: toNanoseconds(time),
      attributes: encodeAttributes(attributes),
      droppedAttributesCount,
    })),
    droppedEventsCount: span.droppedEventsCount ?? 0,
    links: span.links.map(({ context, attributes = {}, droppedAttributesCount = 0 }) => ({
      traceId: context.traceId,
      spanId: context.spanId,
      attributes: encodeAttributes(attributes),
      droppedAttributesCount,
    })),
    droppedLinksCount: span.droppedLinksCount ?? 0,
    status: { code: span.status.code, ...(span.status.message !== undefined && { message: span.status.message }) },
  }
}

const toNanoseconds = ([seconds, nanoseconds]: HrTime) => `${BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)}`

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  )
}

function encodeValue(value: unknown): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: value }
      return { doubleValue: Number.isFinite(value) ? value : String(value) }
    case 'bigint':
      return { intValue: String(value) }
    default:
      if (Array.isArray(value)) return { arrayValue: { values: value.map(encodeValue) } }
      return typeof value === 'object' && value !== null
        ? { kvlistValue: { values: encodeAttributes(value as Attributes) } }
        : {}
  }
}

function groupBy<Item, Key>(items: readonly Item[], readKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = readKey(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
