import { randomBytes } from 'node:crypto'
import { uuid7 } from '@touchstone/contract'

/** A part of a multipart body, written by hand so that no client corrects it. */
export interface Part {
  readonly name: string
  readonly body: string | Buffer
  /** @default application/json */
  readonly type?: string
  /** Additional part headers, e.g. `Content-Encoding: gzip`. */
  readonly headers?: readonly string[]
}

export interface Multipart {
  readonly contentType: string
  readonly body: Buffer
}

export function multipart(parts: readonly Part[], boundary = `--tst${randomBytes(12).toString('hex')}`): Multipart {
  const pieces = parts.flatMap(({ name, body, type = 'application/json', headers = [] }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n`,
    ...headers.map((header) => `${header}\r\n`),
    '\r\n',
    body,
    '\r\n',
  ])
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

/** Ids and position of a run as ingest requires them. */
export interface RunHead {
  readonly id: string
  readonly trace_id: string
  readonly dotted_order: string
  readonly name: string
  readonly run_type: string
  readonly start_time: string
  readonly session_name: string
  readonly [field: string]: unknown
}

/** A root run with a new id that started now; `fields` overrides the defaults. */
export function aRunHead(fields: Readonly<Record<string, unknown>> = {}): RunHead {
  const id = typeof fields.id === 'string' ? fields.id : uuid7()
  const start = typeof fields.start_time === 'string' ? fields.start_time : new Date().toISOString()
  const compact = `${start
    .replace(/[-:.Z]/g, '')
    .padEnd(21, '0')
    .slice(0, 21)}Z`
  return {
    id,
    trace_id: id,
    dotted_order: `${compact}${id}`,
    name: 'a run',
    run_type: 'chain',
    start_time: start,
    session_name: 'hostile',
    ...fields,
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function send(url: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Answer> {
  const answer = await fetch(url, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

export function postMultipart(
  serverUrl: string,
  { contentType, body }: Multipart,
  headers: Record<string, string> = {},
) {
  return send(`${serverUrl}/runs/multipart`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...headers },
    body: new Uint8Array(body),
  })
}

export function postJson(url: string, body: string | Buffer, method = 'POST'): Promise<Answer> {
  return send(url, { method, headers: { 'content-type': 'application/json' }, body: new Uint8Array(Buffer.from(body)) })
}

/** The complete response of `GET /runs/{id}` as text. */
export function readRunText(serverUrl: string, id: string, headers: Record<string, string> = {}): Promise<Answer> {
  return send(`${serverUrl}/runs/${id}`, { headers })
}
