import { isUtf8 } from 'node:buffer'
import { splitMembers } from '@touchstone/formats/cut-json'
import { asRecord } from '@touchstone/formats/guards'
import { repairNumbers } from '@touchstone/formats/repair-numbers'
import { JsonProblem, type JsonScan, JsonTooComplex } from '@touchstone/formats/scan-json'
import { repairNumbersInSlices, scanJson } from '../json/in-slices.ts'
import type { Outcome } from '../outcome.ts'
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
  /** Fields with NaN or Infinity, which are null now. */
  readonly repaired: readonly string[]
  /** Why parts were left out. */
  readonly problems: readonly string[]
}

/** Larger texts are checked in slices, and only outlined for derived columns. */
export const LARGE_BYTES = 256 * 1024
/** Limit of a field that is no payload: a name, an id, tags. */
const MAX_FIELD_BYTES = 1024 * 1024

export function isLarge(raw: RawRun): boolean {
  return isLargeText(raw.main) || Object.values(raw.parts ?? {}).some((part) => part !== undefined && isLargeText(part))
}

/** Bytes may be short when they are not UTF-8. */
const isLargeText = (text: RawText) => typeof text !== 'string' || text.length > LARGE_BYTES

/** Opens a run of ordinary size. @throws BadRun */
export function openRun(raw: RawRun): OpenedRun {
  const main = parse(toText(raw.main), 'the run')
  const { text } = main
  const fields = toRecord(main.value)
  const repaired = [...main.repaired]
  const problems: string[] = []
  const payloads: Partial<Record<PayloadField, RawPayload>> = {}
  const inline = PAYLOAD_FIELDS.filter((field) => fields[field] !== undefined && fields[field] !== null)
  if (inline.length > 0) {
    const members = splitMembers(text)
    for (const field of inline) payloads[field] = RawPayload.of(members.get(field)!, fields[field])
  }
  let { error } = fields
  for (const field of [...PAYLOAD_FIELDS, 'error'] as const) {
    const part = raw.parts?.[field]
    if (part === undefined) continue
    const parsed = parsePart(toText(part), field)
    if ('problem' in parsed) problems.push(parsed.problem)
    else {
      if (parsed.ok.repaired.length > 0) repaired.push(field)
      if (field === 'error') error = parsed.ok.value
      else if (parsed.ok.value !== null) payloads[field] = RawPayload.of(parsed.ok.text, parsed.ok.value)
    }
  }
  return { fields, payloads, error, repaired, problems }
}

/**
 * Opens a run of any size in slices.
 *
 * @param maxPartBytes  of each field
 * @throws BadRun with a message that names the field
 */
export async function openLargeRun(raw: RawRun, maxPartBytes: number): Promise<OpenedRun> {
  const repaired: string[] = []
  const problems: string[] = []
  const opened = await scanOrRepair(toBytes(raw.main), 'the run')
  const { bytes: main, kind, members } = opened
  repaired.push(...opened.fields)
  if (kind !== 'object') throw new BadRun('the run is not a JSON object')
  const fields: Partial<Record<ReadField, unknown>> = {}
  const payloads: Partial<Record<PayloadField, RawPayload | undefined>> = {}
  for (const { key, start, end } of members) {
    if (isPayload(key)) payloads[key] = await openPayload(main.subarray(start, end), key, maxPartBytes)
    else if (isReadField(key)) fields[key] = openField(main.subarray(start, end), key, maxPartBytes)
  }
  for (const [name, part] of Object.entries(raw.parts ?? {})) {
    if (part === undefined) continue
    const scanned = await scanPart(toBytes(part), name)
    if ('problem' in scanned) {
      problems.push(scanned.problem)
      continue
    }
    const { bytes, fields: found } = scanned.ok
    if (found.length > 0) repaired.push(name)
    if (name === 'error') fields.error = openField(bytes, name, maxPartBytes)
    else if (isPayload(name)) payloads[name] = (await openPayload(bytes, name, maxPartBytes)) ?? payloads[name]
  }
  return { fields, payloads, error: fields.error, repaired, problems }
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

interface ScannedBytes extends JsonScan {
  readonly bytes: Buffer
  /** Fields with NaN or Infinity, which are null in `bytes`. */
  readonly fields: readonly string[]
}

async function scanOrRepair(
  bytes: Buffer,
  what: string,
  options?: { readonly findMembers: boolean },
): Promise<ScannedBytes> {
  try {
    return { bytes, fields: [], ...(await scan(bytes, what, options)) }
  } catch (error) {
    if (!(error instanceof BadJson)) throw error
    const repaired = await repairNumbersInSlices(bytes.toString('utf8'))
    if (repaired === undefined) throw error
    const whole = Buffer.from(repaired.text)
    return { bytes: whole, fields: repaired.fields, ...(await scan(whole, what, options)) }
  }
}

/** A part that is not JSON does not affect the rest of its run. A payload may have any number of members. */
async function scanPart(bytes: Buffer, name: string): Promise<Outcome<ScannedBytes>> {
  try {
    return { ok: await scanOrRepair(bytes, name, { findMembers: false }) }
  } catch (error) {
    if (error instanceof BadJson) return { problem: `${error.message}; the run is stored without this part` }
    throw error
  }
}

/** A text that is no JSON. */
class BadJson extends BadRun {}

async function scan(bytes: Buffer, what: string, options?: { readonly findMembers: boolean }): Promise<JsonScan> {
  if (!isUtf8(bytes)) throw new BadRun(`${what} is not valid UTF-8`)
  try {
    return await scanJson(bytes, options)
  } catch (error) {
    if (error instanceof JsonProblem) throw new BadJson(`${what} is not valid JSON at byte ${error.position}`)
    if (error instanceof JsonTooComplex) throw new BadRun(`${what} cannot be stored: ${error.message}`)
    throw error
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  const record = asRecord(value)
  if (record === undefined) throw new BadRun('the run is not a JSON object')
  return record
}

interface ParsedText {
  readonly text: string
  readonly value: unknown
  /** Fields with NaN or Infinity, which are null in `text` and `value`. */
  readonly repaired: readonly string[]
}

function parse(text: string, what: string): ParsedText {
  try {
    return { text, value: JSON.parse(text) as unknown, repaired: [] }
  } catch (error) {
    const parsed = parseRepaired(text)
    if (parsed !== undefined) return parsed
    throw new BadJson(`${what} is not valid JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
}

function parseRepaired(json: string): ParsedText | undefined {
  const repaired = repairNumbers(json)
  if (repaired === undefined) return undefined
  try {
    return { text: repaired.text, value: JSON.parse(repaired.text) as unknown, repaired: repaired.fields }
  } catch {
    return undefined // the text has another fault, which is reported where it was sent
  }
}

/** A part that is not JSON does not affect the rest of its run. */
function parsePart(text: string, name: string): Outcome<ParsedText> {
  try {
    return { ok: parse(text, name) }
  } catch (error) {
    if (error instanceof BadJson) return { problem: `${error.message}; the run is stored without this part` }
    throw error
  }
}

const toText = (text: RawText) => (typeof text === 'string' ? text : text.toString('utf8'))
const toBytes = (text: RawText) => (typeof text === 'string' ? Buffer.from(text) : text)
