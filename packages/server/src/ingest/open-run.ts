import { isUtf8 } from 'node:buffer'
import { splitMembers } from '../json/cut-json.ts'
import { asRecord } from '../json/guards.ts'
import { JsonProblem, type JsonScan, JsonTooComplex, scanJson } from '../json/scan-json.ts'
import { BadRun, LargeRun, PAYLOAD_FIELDS, type PayloadField, RawPayload } from './run-write.ts'

/** JSON text; bytes where it is large, so that it is scanned in slices before any other work. */
export type RawText = string | Buffer

/** A run as received: the text of its main object, and payloads that were sent as separate parts. */
export interface RawRun {
  readonly kind: 'post' | 'patch'
  /** Id from the name of the part or from the path. It overrides the id in the object. */
  readonly id?: string | undefined
  readonly main: RawText
  readonly parts?: Partial<Readonly<Record<PayloadField | 'error', RawText>>>
}

/** Fields of a run that are read in addition to its payloads; nothing else of a large run is parsed. */
const READ_FIELDS = [
  'id',
  'trace_id',
  'dotted_order',
  'parent_run_id',
  'session_id',
  'session_name',
  'address',
  'name',
  'run_type',
  'start_time',
  'end_time',
  'error',
  'status',
  'reference_example_id',
  'tags',
] as const
export type ReadField = (typeof READ_FIELDS)[number]
export type RunFields = Readonly<Partial<Record<ReadField, unknown>>>

/** An opened run: its small fields as values, its payloads as raw JSON text. */
export interface OpenedRun {
  readonly fields: RunFields
  readonly payloads: Partial<Readonly<Record<PayloadField, RawPayload | undefined>>>
  /** Text of the field `error`, or of the part with this name, when it is not a string. */
  readonly error: unknown
}

/** Larger texts are checked in slices, and only outlined for derived columns. */
export const LARGE_BYTES = 256 * 1024
/** Limit of a field that is no payload: a name, an id, tags. */
const MAX_FIELD_BYTES = 1024 * 1024

export function isLarge(raw: RawRun): boolean {
  return isLargeText(raw.main) || Object.values(raw.parts ?? {}).some((part) => part !== undefined && isLargeText(part))
}

const isLargeText = (text: RawText) => text.length > LARGE_BYTES

/** Opens a run of ordinary size. @throws BadRun */
export function openRun(raw: RawRun): OpenedRun {
  const text = toText(raw.main)
  const fields = toRecord(parse(text, 'the run'))
  const payloads: Partial<Record<PayloadField, RawPayload>> = {}
  const inline = PAYLOAD_FIELDS.filter((field) => fields[field] !== undefined && fields[field] !== null)
  if (inline.length > 0) {
    const members = splitMembers(text)
    for (const field of inline) payloads[field] = RawPayload.of(members.get(field)!, fields[field])
  }
  for (const field of PAYLOAD_FIELDS) {
    const part = raw.parts?.[field]
    if (part === undefined) continue
    const value = parse(toText(part), field)
    if (value !== null) payloads[field] = RawPayload.of(toText(part), value)
  }
  const error = raw.parts?.error === undefined ? fields.error : parse(toText(raw.parts.error), 'error')
  return { fields, payloads, error }
}

/**
 * Opens a run of any size in slices.
 *
 * @param maxPartBytes  of each field
 * @throws BadRun with a message that names the field
 */
export async function openLargeRun(raw: RawRun, maxPartBytes: number): Promise<OpenedRun> {
  const main = toBytes(raw.main)
  const { kind, members } = await scan(main, 'the run')
  if (kind !== 'object') throw new BadRun('the run is not a JSON object')
  const fields: Partial<Record<ReadField, unknown>> = {}
  const payloads: Partial<Record<PayloadField, RawPayload | undefined>> = {}
  for (const { key, start, end } of members) {
    if (isPayload(key)) payloads[key] = await openPayload(main.subarray(start, end), key, maxPartBytes)
    else if (isReadField(key)) fields[key] = openField(main.subarray(start, end), key, maxPartBytes)
  }
  for (const [name, part] of Object.entries(raw.parts ?? {})) {
    if (part === undefined) continue
    const bytes = toBytes(part)
    await scan(bytes, name, { findMembers: false }) // a payload may have any number of members
    if (name === 'error') fields.error = openField(bytes, name, maxPartBytes)
    else if (isPayload(name)) payloads[name] = (await openPayload(bytes, name, maxPartBytes)) ?? payloads[name]
  }
  return { fields, payloads, error: fields.error }
}

const isReadField = (key: string): key is ReadField => (READ_FIELDS as readonly string[]).includes(key)
const isPayload = (key: string): key is PayloadField => (PAYLOAD_FIELDS as readonly string[]).includes(key)

async function openPayload(bytes: Buffer, field: PayloadField, maxBytes: number): Promise<RawPayload | undefined> {
  checkSize(bytes, field, maxBytes)
  const text = bytes.toString('utf8')
  if (text.trim() === 'null') return undefined
  if (field === 'extra' && bytes.length > LARGE_BYTES) await checkExtra(bytes)
  return RawPayload.trusted(text)
}

/** Each member of `extra` and of its metadata is merged separately, and metadata is indexed. */
async function checkExtra(bytes: Buffer): Promise<void> {
  const { members } = await scan(bytes, 'extra')
  const metadata = members.findLast(({ key }) => key === 'metadata')
  if (metadata !== undefined) await scan(bytes.subarray(metadata.start, metadata.end), 'extra.metadata')
}

function openField(bytes: Buffer, field: string, maxBytes: number): unknown {
  const isErrorText = field === 'error' && bytes[0] === 0x22
  checkSize(bytes, field, isErrorText ? maxBytes : Math.min(maxBytes, MAX_FIELD_BYTES))
  return JSON.parse(bytes.toString('utf8'))
}

function checkSize(bytes: Buffer, field: string, maxBytes: number): void {
  if (bytes.length > maxBytes)
    throw new LargeRun(`${field} has ${bytes.length} bytes, more than the limit of ${maxBytes}`)
}

async function scan(bytes: Buffer, what: string, options?: { readonly findMembers: boolean }): Promise<JsonScan> {
  if (!isUtf8(bytes)) throw new BadRun(`${what} is not valid UTF-8`)
  try {
    return await scanJson(bytes, options)
  } catch (error) {
    if (error instanceof JsonProblem) throw new BadRun(`${what} is not valid JSON at byte ${error.position}`)
    if (error instanceof JsonTooComplex) throw new BadRun(`${what} cannot be stored: ${error.message}`)
    throw error
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  const record = asRecord(value)
  if (record === undefined) throw new BadRun('the run is not a JSON object')
  return record
}

function parse(json: string, what: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new BadRun(`${what} is not valid JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
}

const toText = (text: RawText) => (typeof text === 'string' ? text : text.toString('utf8'))
const toBytes = (text: RawText) => (typeof text === 'string' ? Buffer.from(text) : text)
