import { concat, Multipart } from '../../transport/multipart.ts'
import { serialize } from '../serialize.ts'
import { type Bytes, encodeText } from '../text-bytes.ts'
import type { Operation } from './operation.ts'

/** Below this size, compression costs more than it saves. */
const MIN_BYTES = 1024

/** Compresses off the main thread. `undefined` when the platform cannot compress or the body is too small. */
export async function gzip(bytes: Bytes): Promise<Bytes | undefined> {
  if (bytes.length < MIN_BYTES || typeof CompressionStream === 'undefined') return undefined
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(zipped).arrayBuffer())
}

export interface Body {
  bytes: Bytes
  contentType: string
}

/**
 * Encodes runs as `multipart/form-data`: creates first, then updates; per run the main part, its fields, its
 * attachments.
 */
export function toMultipartBody(operations: readonly Operation[]): Body {
  const body = new Multipart()
  for (const operation of sortByKind(operations)) {
    const { kind, id } = operation
    body.add(`${kind}.${id}`, encodeText(serialize(operation.main)), JSON_TYPE)
    for (const [name, bytes] of operation.fields) body.add(`${kind}.${id}.${name}`, bytes, JSON_TYPE)
    for (const [name, { mime, data }] of operation.attachments) body.add(`attachment.${id}.${name}`, data, mime)
  }
  return { bytes: body.bytes(), contentType: body.contentType }
}

/** Encodes runs for servers without the multipart endpoint. Attachments are not included. */
export function toJsonBody(operations: readonly Operation[]): Body {
  const chunks: Uint8Array[] = []
  const list = (kind: Operation['kind']) => {
    let separator = ''
    for (const operation of operations.filter((operation) => operation.kind === kind)) {
      chunks.push(encodeText(`${separator}${serialize(operation.main).slice(0, -1)}`))
      for (const [name, bytes] of operation.fields) chunks.push(encodeText(`,"${name}":`), bytes)
      chunks.push(CLOSE)
      separator = ','
    }
  }
  chunks.push(encodeText('{"post":['))
  list('post')
  chunks.push(encodeText('],"patch":['))
  list('patch')
  chunks.push(encodeText(']}'))
  return { bytes: concat(chunks), contentType: JSON_TYPE }
}

const JSON_TYPE = 'application/json'
const CLOSE = encodeText('}')

function sortByKind(operations: readonly Operation[]): Operation[] {
  return [...operations.filter(({ kind }) => kind === 'post'), ...operations.filter(({ kind }) => kind === 'patch')]
}
