import { isUtf8 } from 'node:buffer'
import { asRecord, type JsonRecord, member } from '@touchstone/formats/guards'
import { replaceNumbers } from '@touchstone/formats/lex-json'
import { JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import { scanJson } from '../../../json/in-slices.ts'
import { parseInSlices } from '../../../json/parse-in-slices.ts'
import type { OtlpAttributes, OtlpEvent, OtlpLink, OtlpResource, OtlpScope, OtlpSpan, OtlpValue } from '../span.ts'
import {
  AttributeBudget,
  assertFewKeys,
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
import { OtlpProblem } from './wire-reader.ts'

/** Keys of the lists of a request, from the outside in. */
const SPAN_LISTS = ['resourceSpans', 'scopeSpans', 'spans'] as const
const LOG_LISTS = ['resourceLogs', 'scopeLogs', 'logRecords'] as const
type Lists = typeof SPAN_LISTS | typeof LOG_LISTS

interface Origin {
  readonly resource: OtlpResource
  readonly scope: OtlpScope
}

/** @throws OtlpProblem when the body is not JSON, or the JSON of another signal */
export function readJsonSpans(body: Buffer) {
  const traces = new TraceBudget()
  return readItems(body, SPAN_LISTS, (item, origin) => readSpan(item, origin, traces))
}

/** @throws OtlpProblem when the body is not JSON, or the JSON of another signal */
export const readJsonLogs = (body: Buffer) => readItems(body, LOG_LISTS, readLogRecord)

async function* readItems<Item>(
  body: Buffer,
  [resources, scopes, items]: Lists,
  readItem: (item: JsonRecord, origin: Origin) => Item,
): AsyncGenerator<{ readonly ok: Item } | Refused> {
  if (!isUtf8(body)) throw new OtlpProblem('it is not valid UTF-8')
  const request = await open(body, resources)
  refuseOtherSignals(request.fields, resources)
  for (const resourcePiece of request.elements) {
    const opened = await open(resourcePiece, scopes)
    countAttributes(asRecord(opened.fields.resource) ?? {})
    const resource = {
      attributes: readAttributes(member(opened.fields.resource, 'attributes'), new ValueBudget(), 0),
      schemaUrl: readText(opened.fields.schemaUrl),
    }
    for (const scopePiece of opened.elements) {
      const inner = await open(scopePiece, items)
      const origin = { resource, scope: readScope(inner.fields) }
      for (const piece of inner.elements) yield await readOne(piece, origin, readItem)
    }
  }
}

/** Part of a request: bytes while it is large, else parsed. */
type Piece = Buffer | JsonRecord

const isBytes = (piece: Piece): piece is Buffer => Buffer.isBuffer(piece)

/** Bytes that are parsed without a pause. */
const AT_ONCE_BYTES = 256 * 1024
/** Fields that are read although they are larger; of other fields, only their presence matters. */
const ORIGINS: ReadonlySet<string> = new Set(['resource', 'scope'])

/** The fields of an object, and the elements of one of its lists; those of a large object are not parsed yet. */
async function open(
  piece: Piece,
  list: string,
): Promise<{ readonly fields: JsonRecord; readonly elements: readonly Piece[] }> {
  const fields = toSmallObject(piece)
  if (fields !== undefined) {
    const elements = fields[list] ?? []
    if (!Array.isArray(elements)) throw new OtlpProblem(`${list} is not a list`)
    return { fields, elements: elements.map((element) => asRecord(element) ?? {}) }
  }
  if (!isBytes(piece)) throw new OtlpProblem('it is not a JSON object')
  const { kind, members } = await refuseBadJson(scanJson(piece, { cutLists: true }))
  if (kind !== 'object') throw new OtlpProblem('it is not a JSON object')
  const small: Record<string, unknown> = createAttributes()
  let elements: Buffer[] = []
  for (const { key, start, end, elements: ranges } of members) {
    if (key === list) elements = ranges.map((range) => piece.subarray(range.start, range.end))
    else if (end - start <= AT_ONCE_BYTES) small[key] = parseExactly(piece.toString('utf8', start, end))
    else small[key] = ORIGINS.has(key) ? await parseLarge(piece.subarray(start, end)) : null
  }
  return { fields: small, elements }
}

function toSmallObject(piece: Piece): JsonRecord | undefined {
  if (!isBytes(piece)) return piece
  return piece.length <= AT_ONCE_BYTES ? parseObject(piece) : undefined
}

/** @throws OtlpProblem when what is read is no JSON, or too complex */
async function refuseBadJson<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof JsonProblem) throw new OtlpProblem(`it is not valid JSON at byte ${error.position}`)
    if (error instanceof JsonTooComplex) throw new OtlpProblem(error.message)
    throw error
  }
}

function parseObject(bytes: Buffer): JsonRecord {
  const value = asRecord(parseExactly(bytes.toString('utf8')))
  if (value === undefined) throw new OtlpProblem('it is not a JSON object')
  return value
}

/** Whether a text may contain an integer with more digits than a number holds. */
const LONG_INTEGER = /-?\d{16}/
const INTEGER = /^-?\d{16,}$/

/** Parses JSON; integers with 16 digits or more become text, because `JSON.parse` rounds them. */
function parseExactly(text: string): unknown {
  try {
    return JSON.parse(LONG_INTEGER.test(text) ? quoteLongIntegers(text) : text)
  } catch (error) {
    throw new OtlpProblem(`it is not valid JSON: ${(error as Error).message.slice(0, 100)}`)
  }
}

function quoteLongIntegers(text: string): string {
  return replaceNumbers(text, (token) => (INTEGER.test(token) ? `"${token}"` : token))
}

function refuseOtherSignals(fields: JsonRecord, expected: string): void {
  for (const [key, path] of SIGNALS) {
    if (key === expected || !(key in fields)) continue
    throw new OtlpProblem(`it contains ${key}, ${path}`)
  }
}

const SIGNALS = [
  ['resourceSpans', 'which belong to …/otel/v1/traces'],
  ['resourceLogs', 'which belong to …/otel/v1/logs'],
  ['resourceMetrics', 'which belong to …/otel/v1/metrics'],
] as const

/** A bad item does not affect its neighbors. */
async function readOne<Item>(
  piece: Piece,
  origin: Origin,
  readItem: (item: JsonRecord, origin: Origin) => Item,
): Promise<{ readonly ok: Item } | Refused> {
  try {
    return { ok: readItem(await parsePiece(piece), origin) }
  } catch (error) {
    if (error instanceof OtlpProblem) return { problem: error.message, cause: error }
    throw error
  }
}

async function parsePiece(piece: Piece): Promise<JsonRecord> {
  const small = toSmallObject(piece)
  if (small !== undefined || !isBytes(piece)) return small ?? {}
  return asRecord(await parseLarge(piece)) ?? {}
}

/** @throws OtlpProblem for more values than a span may have, and for more members than an object may have */
async function parseLarge(bytes: Buffer): Promise<unknown> {
  assertFewKeys(bytes)
  const text = bytes.toString('utf8')
  return refuseBadJson(parseInSlices(LONG_INTEGER.test(text) ? Buffer.from(quoteLongIntegers(text)) : bytes))
}

function readScope(fields: JsonRecord): OtlpScope {
  const { scope, schemaUrl } = fields
  countAttributes(asRecord(scope) ?? {})
  return {
    name: readText(member(scope, 'name')),
    version: readText(member(scope, 'version')),
    attributes: readAttributes(member(scope, 'attributes'), new ValueBudget(), 0),
    schemaUrl: readText(schemaUrl),
  }
}

function readSpan(item: JsonRecord, origin: Origin, traces: TraceBudget): OtlpSpan {
  const traceId = readId(item.traceId, 16, 'trace id')
  countAttributes(item)
  if (traceId !== undefined) traces.take(traceId)
  const budget = new ValueBudget()
  const span = {
    traceId,
    spanId: readId(item.spanId, 8, 'span id'),
    parentSpanId: readId(item.parentSpanId, 8, 'parent span id'),
    name: readText(item.name),
    kind: readEnum(item.kind, SPAN_KINDS),
    startNano: readNanos(item.startTimeUnixNano),
    endNano: readNanos(item.endTimeUnixNano) || undefined,
    attributes: readAttributes(item.attributes, budget, 0),
    events: readList(item.events).map((event) => readEvent(event, budget)),
    links: readList(item.links).flatMap((link) => readLink(link, budget)),
    status: readStatus(item.status),
    traceState: readText(item.traceState),
    droppedAttributes: readCount(item.droppedAttributesCount),
    droppedEvents: readCount(item.droppedEventsCount),
    droppedLinks: readCount(item.droppedLinksCount),
    ...origin,
  }
  assertIds(span)
  return span
}

/** @throws OtlpProblem for an item over the limit, of which nothing is built yet */
function countAttributes({ attributes, events, links }: JsonRecord): void {
  const budget = new AttributeBudget()
  budget.take(readList(attributes).length)
  for (const one of [...readList(events), ...readList(links)])
    budget.take(1 + readList(member(one, 'attributes')).length)
}

function readEvent(event: unknown, budget: ValueBudget): OtlpEvent {
  budget.take()
  return {
    name: readText(member(event, 'name')),
    timeNano: readNanos(member(event, 'timeUnixNano')),
    attributes: readAttributes(member(event, 'attributes'), budget, 0),
  }
}

/** A link without valid ids leads nowhere. */
function readLink(link: unknown, budget: ValueBudget): OtlpLink[] {
  budget.take()
  try {
    const traceId = readId(member(link, 'traceId'), 16, 'trace id')
    const spanId = readId(member(link, 'spanId'), 8, 'span id')
    if (traceId === undefined || spanId === undefined) return []
    const attributes = readAttributes(member(link, 'attributes'), budget, 0)
    return [{ traceId, spanId, traceState: readText(member(link, 'traceState')), attributes }]
  } catch (error) {
    if (error instanceof OtlpProblem) return []
    throw error
  }
}

function readStatus(status: unknown): OtlpSpan['status'] {
  const code = readEnum(member(status, 'code'), STATUS_CODES)
  return { code: code === 1 || code === 2 ? code : 0, message: readText(member(status, 'message')) }
}

function readLogRecord(item: JsonRecord, origin: Origin): LogRecord {
  countAttributes(item)
  const budget = new ValueBudget()
  const body = item.body === undefined || item.body === null ? undefined : readValue(item.body, budget, 0)
  return {
    traceId: readId(item.traceId, 16, 'trace id'),
    spanId: readId(item.spanId, 8, 'span id'),
    name: readText(item.eventName),
    timeNano: readNanos(item.timeUnixNano) || readNanos(item.observedTimeUnixNano),
    attributes: readAttributes(item.attributes, budget, 0),
    ...(body !== undefined && { body }),
    ...origin,
  }
}

const SPAN_KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  (name) => `SPAN_KIND_${name}`,
)
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'].map((name) => `STATUS_CODE_${name}`)

/** OTLP sends the numbers of enums; encoders of protobuf's own JSON form send their names. */
function readEnum(value: unknown, names: readonly string[]): number {
  if (typeof value === 'string' && names.includes(value)) return names.indexOf(value)
  const number = Number(value)
  return Number.isInteger(number) && number >= 0 && number < names.length ? number : 0
}

/** Hex digits of any case as OTLP demands, or base64 as protobuf's own JSON form has it. */
function readId(value: unknown, bytes: 8 | 16, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new OtlpProblem(`its ${name} is not a text`)
  const digits = bytes * 2
  if (value.length === digits && /^[0-9a-f]+$/i.test(value)) return toHexId(Buffer.from(value, 'hex'), bytes, name)
  if (/^[A-Za-z\d+/_-]{11,22}={0,2}$/.test(value)) {
    const decoded = Buffer.from(value, 'base64')
    if (decoded.length === bytes) return toHexId(decoded, bytes, name)
  }
  throw new OtlpProblem(`its ${name} ${JSON.stringify(value.slice(0, 40))} is not ${digits} hex digits`)
}

const readText = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : '')
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function readCount(value: unknown): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) && number > 0 ? Math.floor(number) : 0
}

const MAX_NANOS = 2n ** 64n

function readNanos(value: unknown): bigint {
  const integer = readInteger(value)
  return integer !== undefined && integer >= 0n && integer < MAX_NANOS ? integer : 0n
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  return typeof value === 'string' && /^-?\d{1,40}$/.test(value) ? BigInt(value) : undefined
}

function readAttributes(list: unknown, budget: ValueBudget, depth: number): OtlpAttributes {
  const entries = readList(list)
  if (entries.length === 0) return NO_ATTRIBUTES
  const attributes = createAttributes()
  for (const entry of entries) {
    budget.take()
    attributes[readText(member(entry, 'key'))] = readValue(member(entry, 'value'), budget, depth)
  }
  return attributes
}

function readValue(value: unknown, budget: ValueBudget, depth: number): OtlpValue {
  budget.take()
  const record = asRecord(value)
  if (record === undefined) return null
  if (typeof record.stringValue === 'string') return record.stringValue.toWellFormed()
  if (record.boolValue !== undefined) return record.boolValue === true || record.boolValue === 'true'
  if (record.intValue !== undefined) return readIntValue(record.intValue)
  if (record.doubleValue !== undefined) return readDoubleValue(record.doubleValue)
  if (typeof record.bytesValue === 'string') return Buffer.from(record.bytesValue, 'base64').toString('base64')
  if (record.arrayValue !== undefined) {
    if (depth >= MAX_DEPTH) return TOO_DEEP
    return readList(member(record.arrayValue, 'values')).map((element) => readValue(element, budget, depth + 1))
  }
  if (record.kvlistValue !== undefined) {
    return depth < MAX_DEPTH ? readAttributes(member(record.kvlistValue, 'values'), budget, depth + 1) : TOO_DEEP
  }
  return null
}

function readIntValue(value: unknown): OtlpValue {
  const integer = readInteger(value)
  return integer === undefined ? null : toInteger(integer)
}

function readDoubleValue(value: unknown): OtlpValue {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null
  const number = Number(value)
  return Number.isNaN(number) && value !== 'NaN' ? null : toDouble(number)
}
