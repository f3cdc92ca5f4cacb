import { serialise } from '../serialise.ts'
import { type Bytes, textBytes } from '../text-bytes.ts'
import type { Operation } from './operation.ts'

export interface Body {
  bytes: Bytes
  contentType: string
}

/**
 * Runs as `multipart/form-data`, written by hand: platforms disagree about what they add to the parts of a `FormData`, and
 * strict servers refuse the additions. Creates first, then updates; per run the main part, its fields, its attachments.
 */
export function multipartBody(operations: readonly Operation[]): Body {
  const boundary = `----LangSmithFormBoundary${globalThis.crypto.randomUUID().replaceAll('-', '')}`
  const chunks: Uint8Array[] = []
  for (const operation of inOrder(operations)) {
    const { kind, id } = operation
    const part = (name: string, type: string, bytes: Uint8Array) => {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"\r\nContent-Type: ${oneLine(type)}; length=${bytes.length}\r\n\r\n`
      chunks.push(textBytes(head), bytes, LINE_END)
    }
    part(`${kind}.${id}`, JSON_TYPE, textBytes(serialise(operation.main)))
    for (const [name, bytes] of operation.fields) part(`${kind}.${id}.${name}`, JSON_TYPE, bytes)
    for (const [name, { mime, data }] of operation.attachments) part(`attachment.${id}.${name}`, mime, data)
  }
  chunks.push(textBytes(`--${boundary}--\r\n`))
  return { bytes: concat(chunks), contentType: `multipart/form-data; boundary=${boundary}` }
}

/** The same runs for servers without the multipart endpoint; attachments have no place in it. */
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
const LINE_END = textBytes('\r\n')
const CLOSE = textBytes('}')

function inOrder(operations: readonly Operation[]): Operation[] {
  return [...operations.filter(({ kind }) => kind === 'post'), ...operations.filter(({ kind }) => kind === 'patch')]
}

function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function oneLine(type: string): string {
  return type.replace(/[\r\n]+/g, ' ')
}

function concat(chunks: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
