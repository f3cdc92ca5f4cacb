import type { OtlpAttributes, OtlpEvent, OtlpLink, OtlpResource, OtlpScope, OtlpSpan, OtlpValue } from '../span.ts'
import {
  AttributeBudget,
  assertIds,
  createAttributes,
  MAX_DEPTH,
  NO_ATTRIBUTES,
  TOO_DEEP,
  TraceBudget,
  toDouble,
  toHexId,
  toInteger,
  ValueBudget,
} from './limits.ts'
import type { LogRecord, Refused } from './read-request.ts'
import { OtlpProblem, WireReader } from './wire-reader.ts'

/*
 * The messages of opentelemetry-proto v1.11.0. A case is the number of a field and its wire type as they are written; a field
 * with another wire type is unknown, as protobuf demands. ExportTraceServiceRequest and ExportLogsServiceRequest have the
 * same outer form: a list of resources, each with a list of scopes, each with a list of items.
 */
const LIST_OF_RESOURCES = 0x0a
const RESOURCE = 0x0a
const LIST_OF_SCOPES = 0x12
const RESOURCE_SCHEMA_URL = 0x1a
const SCOPE = 0x0a
const LIST_OF_ITEMS = 0x12
const SCOPE_SCHEMA_URL = 0x1a

interface Origin {
  readonly resource: OtlpResource
  readonly scope: OtlpScope
}

/** @throws OtlpProblem when the body is not protobuf, at its outer levels */
export function readProtobufSpans(body: Buffer) {
  const traces = new TraceBudget()
  return readItems(body, (message, origin) => {
    countSpan(message.copy(), traces)
    return readSpan(message, origin)
  })
}

/** @throws OtlpProblem when the body is not protobuf, at its outer levels */
export function readProtobufLogs(body: Buffer) {
  return readItems(body, (message, origin) => {
    new AttributeBudget().take(countFields(message.copy(), 0x32))
    return readLogRecord(message, origin)
  })
}

function* readItems<Item>(
  body: Buffer,
  readItem: (message: WireReader, origin: Origin) => Item,
): Generator<{ readonly ok: Item } | Refused> {
  const request = new WireReader(body)
  while (request.next()) {
    if (request.tag !== LIST_OF_RESOURCES) request.skip()
    else yield* readResource(request.message(), readItem)
  }
}

function* readResource<Item>(
  message: WireReader,
  readItem: (message: WireReader, origin: Origin) => Item,
): Generator<{ readonly ok: Item } | Refused> {
  let attributes = NO_ATTRIBUTES
  let schemaUrl = ''
  const scopes: WireReader[] = []
  while (message.next()) {
    if (message.tag === RESOURCE) attributes = readResourceAttributes(message.message())
    else if (message.tag === LIST_OF_SCOPES) scopes.push(message.message())
    else if (message.tag === RESOURCE_SCHEMA_URL) schemaUrl = message.text()
    else message.skip()
  }
  for (const scope of scopes) yield* readScope(scope, { attributes, schemaUrl }, readItem)
}

function readResourceAttributes(message: WireReader): OtlpAttributes {
  new AttributeBudget().take(countFields(message.copy(), 0x0a))
  const attributes = createAttributes()
  const budget = new ValueBudget()
  while (message.next()) {
    if (message.tag === 0x0a) readKeyValue(message.message(), attributes, budget, 0)
    else message.skip()
  }
  return attributes
}

function* readScope<Item>(
  message: WireReader,
  resource: OtlpResource,
  readItem: (message: WireReader, origin: Origin) => Item,
): Generator<{ readonly ok: Item } | Refused> {
  const items = message.copy()
  let scope: Omit<OtlpScope, 'schemaUrl'> = { name: '', version: '', attributes: NO_ATTRIBUTES }
  let schemaUrl = ''
  // The name of the scope may come after its spans.
  while (message.next()) {
    if (message.tag === SCOPE) scope = readScopeName(message.message())
    else if (message.tag === SCOPE_SCHEMA_URL) schemaUrl = message.text()
    else message.skip()
  }
  const origin = { resource, scope: { ...scope, schemaUrl } }
  while (items.next()) {
    if (items.tag === LIST_OF_ITEMS) yield readOne(items.message(), origin, readItem)
    else items.skip()
  }
}

function readScopeName(message: WireReader): Omit<OtlpScope, 'schemaUrl'> {
  new AttributeBudget().take(countFields(message.copy(), 0x1a))
  const scope = { name: '', version: '', attributes: createAttributes() }
  const budget = new ValueBudget()
  while (message.next()) {
    if (message.tag === 0x0a) scope.name = message.text()
    else if (message.tag === 0x12) scope.version = message.text()
    else if (message.tag === 0x1a) readKeyValue(message.message(), scope.attributes, budget, 0)
    else message.skip()
  }
  return scope
}

/** A bad item does not affect its neighbors: the length of each is known. */
function readOne<Item>(
  message: WireReader,
  origin: Origin,
  readItem: (message: WireReader, origin: Origin) => Item,
): { readonly ok: Item } | Refused {
  try {
    return { ok: readItem(message, origin) }
  } catch (error) {
    if (error instanceof OtlpProblem) return { problem: error.message, cause: error }
    throw error
  }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type Draft<Type extends { traceId: string; spanId: string }> = Mutable<Omit<Type, 'traceId' | 'spanId'>> & {
  traceId?: string | undefined
  spanId?: string | undefined
}

/** @throws OtlpProblem for a span over a limit, of which nothing is built yet */
function countSpan(message: WireReader, traces: TraceBudget): void {
  const attributes = new AttributeBudget()
  let traceId: Buffer | undefined
  while (message.next()) {
    if (message.tag === 0x0a) traceId = message.buffer()
    else if (message.tag === 0x5a) attributes.take(1 + countFields(message.message(), 0x1a))
    else if (message.tag === 0x6a) attributes.take(1 + countFields(message.message(), 0x22))
    else {
      if (message.tag === 0x4a) attributes.take(1)
      message.skip()
    }
  }
  if (traceId?.length === 16) traces.take(traceId.toString('latin1'))
}

function countFields(message: WireReader, tag: number): number {
  let count = 0
  while (message.next()) {
    if (message.tag === tag) count++
    message.skip()
  }
  return count
}

function readSpan(message: WireReader, origin: Origin): OtlpSpan {
  const budget = new ValueBudget()
  const attributes = createAttributes()
  const events: OtlpEvent[] = []
  const links: OtlpLink[] = []
  const span: Draft<OtlpSpan> = {
    name: '',
    kind: 0,
    startNano: 0n,
    attributes,
    events,
    links,
    status: { code: 0, message: '' },
    traceState: '',
    droppedAttributes: 0,
    droppedEvents: 0,
    droppedLinks: 0,
    ...origin,
  }
  while (message.next()) {
    switch (message.tag) {
      case 0x0a:
        span.traceId = toHexId(message.buffer(), 16, 'trace id')
        break
      case 0x12:
        span.spanId = toHexId(message.buffer(), 8, 'span id')
        break
      case 0x1a:
        span.traceState = message.text()
        break
      case 0x22:
        span.parentSpanId = toHexId(message.buffer(), 8, 'parent span id')
        break
      case 0x2a:
        span.name = message.text()
        break
      case 0x30:
        span.kind = message.int32()
        break
      case 0x39:
        span.startNano = message.fixed64()
        break
      case 0x41:
        span.endNano = message.fixed64() || undefined
        break
      case 0x4a:
        readKeyValue(message.message(), attributes, budget, 0)
        break
      case 0x50:
        span.droppedAttributes = Number(message.varint())
        break
      case 0x5a:
        budget.take()
        events.push(readEvent(message.message(), budget))
        break
      case 0x60:
        span.droppedEvents = Number(message.varint())
        break
      case 0x6a:
        budget.take()
        links.push(...readLink(message.message(), budget))
        break
      case 0x70:
        span.droppedLinks = Number(message.varint())
        break
      case 0x7a:
        span.status = readStatus(message.message())
        break
      default:
        message.skip()
    }
  }
  assertIds(span)
  return span
}

function readEvent(message: WireReader, budget: ValueBudget): OtlpEvent {
  const attributes = createAttributes()
  let timeNano = 0n
  let name = ''
  while (message.next()) {
    if (message.tag === 0x09) timeNano = message.fixed64()
    else if (message.tag === 0x12) name = message.text()
    else if (message.tag === 0x1a) readKeyValue(message.message(), attributes, budget, 0)
    else message.skip()
  }
  return { name, timeNano, attributes }
}

/** A link without valid ids leads nowhere. */
function readLink(message: WireReader, budget: ValueBudget): OtlpLink[] {
  const attributes = createAttributes()
  let traceId = ''
  let spanId = ''
  let traceState = ''
  while (message.next()) {
    if (message.tag === 0x0a) traceId = message.buffer().toString('hex')
    else if (message.tag === 0x12) spanId = message.buffer().toString('hex')
    else if (message.tag === 0x1a) traceState = message.text()
    else if (message.tag === 0x22) readKeyValue(message.message(), attributes, budget, 0)
    else message.skip()
  }
  return traceId.length === 32 && spanId.length === 16 ? [{ traceId, spanId, traceState, attributes }] : []
}

function readStatus(message: WireReader): OtlpSpan['status'] {
  let text = ''
  let code = 0
  while (message.next()) {
    if (message.tag === 0x12) text = message.text()
    else if (message.tag === 0x18) code = message.int32()
    else message.skip()
  }
  return { code: code === 1 || code === 2 ? code : 0, message: text }
}

function readLogRecord(message: WireReader, origin: Origin): LogRecord {
  const budget = new ValueBudget()
  const attributes = createAttributes()
  const record: Mutable<LogRecord> = { name: '', timeNano: 0n, attributes, ...origin }
  let observedNano = 0n
  while (message.next()) {
    switch (message.tag) {
      case 0x09:
        record.timeNano = message.fixed64()
        break
      case 0x59:
        observedNano = message.fixed64()
        break
      case 0x2a:
        record.body = readValue(message.message(), budget, 0)
        break
      case 0x32:
        readKeyValue(message.message(), attributes, budget, 0)
        break
      case 0x4a:
        record.traceId = toHexId(message.buffer(), 16, 'trace id')
        break
      case 0x52:
        record.spanId = toHexId(message.buffer(), 8, 'span id')
        break
      case 0x62:
        record.name = message.text()
        break
      default:
        message.skip()
    }
  }
  if (record.timeNano === 0n) record.timeNano = observedNano
  return record
}

function readKeyValue(message: WireReader, into: Record<string, OtlpValue>, budget: ValueBudget, depth: number): void {
  let key = ''
  let value: OtlpValue = null
  budget.take()
  while (message.next()) {
    if (message.tag === 0x0a) key = message.text()
    else if (message.tag === 0x12) value = readValue(message.message(), budget, depth)
    else message.skip()
  }
  into[key] = value
}

function readValue(message: WireReader, budget: ValueBudget, depth: number): OtlpValue {
  budget.take()
  let value: OtlpValue = null
  while (message.next()) {
    switch (message.tag) {
      case 0x0a:
        value = message.text()
        break
      case 0x10:
        value = message.varint() !== 0n
        break
      case 0x18:
        value = toInteger(message.int64())
        break
      case 0x21:
        value = toDouble(message.double())
        break
      case 0x2a:
        value = depth < MAX_DEPTH ? readList(message.message(), budget, depth + 1) : skipped(message)
        break
      case 0x32:
        value = depth < MAX_DEPTH ? readMap(message.message(), budget, depth + 1) : skipped(message)
        break
      case 0x3a:
        value = message.buffer().toString('base64')
        break
      default:
        message.skip()
    }
  }
  return value
}

function readList(message: WireReader, budget: ValueBudget, depth: number): OtlpValue {
  const values: OtlpValue[] = []
  while (message.next()) {
    if (message.tag === 0x0a) values.push(readValue(message.message(), budget, depth))
    else message.skip()
  }
  return values
}

function readMap(message: WireReader, budget: ValueBudget, depth: number): OtlpValue {
  const members = createAttributes()
  while (message.next()) {
    if (message.tag === 0x0a) readKeyValue(message.message(), members, budget, depth)
    else message.skip()
  }
  return members
}

function skipped(message: WireReader): string {
  message.skip()
  return TOO_DEEP
}
