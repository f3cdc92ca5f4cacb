import { isUtf8 } from 'node:buffer'
import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { appendTo } from '../../../append-to.ts'
import { parseMultipart, readBoundary } from '../../../http/multipart.ts'
import { readBody } from '../../../http/read-body.ts'

/** An uploaded file with its form fields. */
export interface FileForm {
  readonly file: { readonly name: string; readonly isJsonl: boolean; readonly bytes: Buffer }
  /** Values of a field, in order; empty when it was not sent. */
  all(field: string): readonly string[]
  /** The last value of a field. */
  one(field: string): string | undefined
}

/** @throws ApiError INVALID_REQUEST for no form, without a file, or with text that is not UTF-8 */
export async function readForm(request: FastifyRequest): Promise<FileForm> {
  const boundary = readBoundary(request.headers['content-type'])
  const parts = parseMultipart(await readBody(request), boundary)
  const fields = new Map<string, string[]>()
  for (const { name, bytes } of parts) {
    if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', `${name}: it is not valid UTF-8.`)
    if (name !== 'file') appendTo(fields, name, bytes.toString('utf8'))
  }
  const file = parts.find((part) => part.name === 'file')
  if (file === undefined) throw new ApiError('INVALID_REQUEST', 'file: the form has no part of this name.')
  const name = file.fileName ?? 'upload.csv'
  const isJsonl = /\.(jsonl|ndjson)$/i.test(name) || /jsonl|ndjson|json-lines/i.test(file.contentType)
  return {
    file: { name, isJsonl, bytes: file.bytes },
    all: (field) => fields.get(field) ?? [],
    one: (field) => fields.get(field)?.at(-1),
  }
}

/** A column of a file and its target in the example. */
export interface Column {
  /** Its name in the file. */
  readonly name: string
  readonly side: Side
  /** Its key in the example. */
  readonly key: string
}

export const SIDES = ['inputs', 'outputs', 'metadata'] as const
export type Side = (typeof SIDES)[number]

const FIELDS: Record<Side, { readonly keys: string; readonly mappings: string }> = {
  inputs: { keys: 'input_keys', mappings: 'input_key_mappings' },
  outputs: { keys: 'output_keys', mappings: 'output_key_mappings' },
  metadata: { keys: 'metadata_keys', mappings: 'metadata_key_mappings' },
}

/**
 * The columns of a form, with their targets.
 *
 * @returns undefined for lines of JSON that are whole examples, without keys in the form
 * @throws ApiError INVALID_REQUEST
 */
export function readColumns(form: FileForm): readonly Column[] | undefined {
  const columns = SIDES.flatMap((side) => {
    const mappings = readMappings(form, FIELDS[side].mappings)
    return form.all(FIELDS[side].keys).map((name): Column => ({ name, side, key: mappings.get(name) ?? name }))
  })
  if (columns.length === 0 && form.file.isJsonl) return undefined
  if (!columns.some(({ side }) => side === 'inputs')) {
    throw new ApiError('INVALID_REQUEST', 'input_keys: name at least one column.')
  }
  const taken = new Set<string>()
  for (const { side, key, name } of columns) {
    const place = `${side}.${key}`
    if (taken.has(place)) throw new ApiError('INVALID_REQUEST', `The column ${name} becomes ${place}, as another does.`)
    taken.add(place)
  }
  return columns
}

/** `{"column": "key"}` */
function readMappings(form: FileForm, field: string): Map<string, string> {
  const text = form.one(field)
  if (text === undefined || text.trim() === '') return new Map()
  const wrong = new ApiError('INVALID_REQUEST', `${field}: it must be a JSON object from column to key.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong
  }
  if (value === null) return new Map()
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong
  const entries = Object.entries(value)
  if (!entries.every(([, key]) => typeof key === 'string')) throw wrong
  return new Map(entries as [string, string][])
}

/** @throws ApiError INVALID_REQUEST always */
export function throwMissingColumns(missing: readonly Column[]): never {
  const names = missing.map(({ name }) => JSON.stringify(name)).join(', ')
  throw new ApiError('INVALID_REQUEST', `The file has no column ${names}.`)
}
