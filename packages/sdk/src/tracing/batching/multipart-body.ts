import { concat, Multipart } from '../../transport/multipart.ts'
import { serialise } from '../serialise.ts'
import { type Bytes, textBytes } from '../text-bytes.ts'
import type { Operation } from './operation.ts'

export interface Body {
  bytes: Bytes
  contentType: string
}

/**
 * Encodes runs as `multipart/form-data`: creates first, then updates; per run the main part, its fields, its
 * attachments.
 */
export function multipartBody(operations: readonly Operation[]): Body {
  const body = new Multipart()
  for (const operation of inOrder(operations)) {
    const { kind, id } = operation
    body.add(`${kind}.${id}`, textBytes(serialise(operation.main)), JSON_TYPE)
    for (const [name, bytes] of operation.fields) body.add(`${kind}.${id}.${name}`, bytes, JSON_TYPE)
    for (const [name, { mime, data }] of operation.attachments) body.add(`attachment.${id}.${name}`, data, mime)
  }
  return { bytes: body.bytes(), contentType: body.contentType }
}

/** Encodes runs for servers without the multipart endpoint. Attachments are not included. */
export function jsonBody(operations: readonly Operation[]): Body {
  const chunks: Uint8Array[] = []
  const list = (kind: Operation['kind']) => {
    let separator = ''
    for (const operation of operations.filter((one) => one.kind === kind)) {
      chunks.push(textBytes(`${separator}${serialise(operation.main).slice(0, -1)}`))
      for (const [name, bytes] of operation.fields) chunks.push(textBytes(`,"${name}":`), bytes)
      chunks.push(CLOSE)
      separator = ','
    }
  }
  chunks.push(textBytes('{"post":['))
  list('post')
  chunks.push(textBytes('],"patch":['))
  list('patch')
  chunks.push(textBytes(']}'))
  return { bytes: concat(chunks), contentType: JSON_TYPE }
}

const JSON_TYPE = 'application/json'
const CLOSE = textBytes('}')

function inOrder(operations: readonly Operation[]): Operation[] {
  return [...operations.filter(({ kind }) => kind === 'post'), ...operations.filter(({ kind }) => kind === 'patch')]
}
