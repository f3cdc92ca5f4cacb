import { assertUuid } from '../ids/uuid.ts'
import type { Attachments, ExampleCreate, ExampleUpdate } from '../schemas.ts'
import { serialize } from '../tracing/serialize.ts'
import { type Bytes, encodeText } from '../tracing/text-bytes.ts'
import { Multipart } from '../transport/multipart.ts'

/** One example as parts of a form, with their size. */
export interface ExampleParts {
  id: string
  /** True if the id was generated here, so that no stored example can have it. */
  isOwnId: boolean
  parts: { name: string; type: string; bytes: Uint8Array }[]
  bytes: number
}

/** About what the head of a part takes besides its name and type. */
const HEAD_BYTES = 150
const JSON_TYPE = 'application/json'

/** @throws Error when the id is no UUID */
export function createParts(example: ExampleCreate, id: string): ExampleParts {
  const { created_at, metadata, split, source_run_id, use_source_run_io, use_source_run_attachments } = example
  if (source_run_id !== undefined) assertUuid(source_run_id, 'source_run_id')
  const main = { created_at, metadata, split, source_run_id, use_source_run_io, use_source_run_attachments }
  const json = { inputs: example.inputs, outputs: referenceOutputsOf(example) }
  return parts(id, example.id === undefined, main, json, example.attachments)
}

/** @throws Error when the id is no UUID */
export function updateParts(update: ExampleUpdate): ExampleParts {
  const { id, metadata, split, inputs, attachments, attachments_operations, expected } = update
  const outputs = referenceOutputsOf(update)
  return parts(id, false, { metadata, split, expected }, { inputs, outputs, attachments_operations }, attachments)
}

/** The outputs of an example, under whichever of their two names they were given. @throws when under both */
function referenceOutputsOf({ outputs, reference_outputs }: ExampleCreate | ExampleUpdate) {
  if (outputs !== undefined && reference_outputs !== undefined) {
    throw new Error('Cannot specify both reference_outputs and outputs')
  }
  return reference_outputs ?? outputs
}

export function formOf(examples: readonly ExampleParts[]): Multipart {
  const form = new Multipart()
  for (const { name, bytes, type } of examples.flatMap(({ parts }) => parts)) form.add(name, bytes, type)
  return form
}

function parts(
  id: string,
  isOwnId: boolean,
  main: Record<string, unknown>,
  json: Record<string, unknown>,
  attachments: Attachments = {},
): ExampleParts {
  assertUuid(id)
  const all = [{ name: id, type: JSON_TYPE, bytes: jsonBytes(onlyTrue(main)) }]
  for (const [field, value] of Object.entries(json)) {
    if (value) all.push({ name: `${id}.${field}`, type: JSON_TYPE, bytes: jsonBytes(value) })
  }
  for (const [name, value] of Object.entries(attachments)) {
    const [type, data] = Array.isArray(value) ? value : [value.mimeType, value.data]
    const bytes = data instanceof Uint8Array ? (data as Bytes) : new Uint8Array(data)
    all.push({ name: `${id}.attachment.${name}`, type, bytes })
  }
  const weigh = ({ name, type, bytes }: (typeof all)[number]) => bytes.length + name.length + type.length + HEAD_BYTES
  return { id, isOwnId, parts: all, bytes: all.reduce((sum, part) => sum + weigh(part), 0) }
}

function jsonBytes(value: unknown): Bytes {
  return encodeText(serialize(value))
}

/** Omits null, false and empty text, which all select the default. */
function onlyTrue(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
}
