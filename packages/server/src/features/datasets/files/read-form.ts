import { isUtf8 } from 'node:buffer'
import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { parseMultipart, readBoundary } from '../../../http/multipart.ts'
import { readBody } from '../../../http/read-body.ts'

/** A file that was sent with fields beside it. */
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
    if (name !== 'file') fields.set(name, [...(fields.get(name) ?? []), bytes.toString('utf8')])
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
