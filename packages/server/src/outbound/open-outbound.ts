import { setImmediate } from 'node:timers/promises'
import { Agent, type Dispatcher, request as send } from 'undici'
import {
  allowedBy,
  checkUrl,
  guardedConnect,
  type Lookup,
  OutboundError,
  type OutboundFailure,
} from './allowed-targets.ts'
import { ConnectionAges } from './connection-ages.ts'

/** All requests that this server sends. */
export interface Outbound {
  /**
   * Calls a URL of a user, and follows redirects.
   *
   * @returns any answer, also one with an error status
   * @throws OutboundError
   */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /**
   * Like `send`, but returns when the headers are there; the body is read as it comes. Read it to its end or close it.
   *
   * @throws OutboundError; so does reading the body
   */
  open(request: OutboundStreamRequest): Promise<OutboundStream>
  /** @throws OutboundError of kind `refused` when the URL itself can never be called; names are not resolved */
  check(url: string): void
  close(): Promise<void>
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent to the origin of `url` only, not to the targets of redirects. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything together: connecting, redirects, reading the answer. @default 15000 */
  readonly timeoutMs?: number
  /** Bytes of the answer's body that are read; the rest is dropped. @default 65536 */
  readonly maxAnswerBytes?: number
  readonly signal?: AbortSignal
  /** Refuses redirects to other hosts, which would get the body. @default false */
  readonly sameHost?: boolean
}

export interface OutboundStreamRequest extends Omit<OutboundRequest, 'maxAnswerBytes'> {
  /** Milliseconds without a byte of the answer after which the call fails. @default as timeoutMs */
  readonly idleMs?: number
}

export interface OutboundStream {
  readonly status: number
  /** Names in lower case; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** The URL that answered, after redirects. */
  readonly url: string
  /** The body; may be read once. */
  readonly chunks: AsyncIterable<Buffer>
  /** Ends the connection if the body was not read to its end. */
  close(): void
  /** Keeps the connection for the next call if the body ends soon; otherwise ends it. Resolves when it has done so. */
  release(): Promise<void>
}

export interface OutboundAnswer {
  readonly status: number
  /** The beginning of the body, up to `maxAnswerBytes`. */
  readonly text: string
  /** Names in lower case; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** The URL that answered, after redirects. */
  readonly url: string
}

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const USER_AGENT = 'Touchstone'
/** How long a connection is kept without a call. A provider may name a shorter time, or a longer one up to the second number. */
const IDLE_MS = { unnamed: 10_000, most: 60_000 }
/** How long a connection is used: the addresses of its name are then read and checked again. */
const CONNECTION_MS = 5 * 60_000
/** What may follow a whole answer on its connection: the end of its framing. */
const REST = { bytes: 16_384, ms: 1_000 }

/**
 * Each client has connections of its own, kept by their origin: what one set of rules allowed is never used under another.
 *
 * @param allow  hosts, addresses and networks beyond the public internet, as the operator wrote them
 * @param lookup  resolves names in place of the system
 */
export function openOutbound(allow: readonly string[], lookup?: Lookup): Outbound {
  const allowed = allowedBy(allow)
  const ages = new ConnectionAges()
  const options = { connect: ages.observe(guardedConnect(allowed, lookup)), maxHeaderSize: 16_384 }
  /** A connection for each call. */
  const single = new Agent({ ...options, pipelining: 0 })
  const keeping = new Agent({
    ...options,
    keepAliveTimeout: IDLE_MS.unnamed,
    keepAliveMaxTimeout: IDLE_MS.most,
    clientTtl: CONNECTION_MS,
  })
  const check = (url: string) => checkUrl(url, allowed)
  /** The other side may end a kept connection just when a call begins; the call then gets its own one. */
  const sendAgain: SendRequest = async (url, request) => {
    const startedAt = performance.now()
    try {
      return await send<null>(url, { ...request, dispatcher: keeping })
    } catch (error) {
      if (!ages.isStale(error, startedAt)) throw error
      return send<null>(url, { ...request, dispatcher: single })
    }
  }

  return {
    check: (url) => void check(url),
    async close() {
      await Promise.all([single.destroy(), keeping.destroy()])
    },
    async send(request) {
      const { timeoutMs = 15_000, maxAnswerBytes = 65_536 } = request
      const { signal, explain } = limitTime(request, timeoutMs)
      try {
        const { answer, url } = await follow(request, {
          send: (target, given) => send<null>(target, { ...given, dispatcher: single }),
          check,
          signal,
        })
        const text = await readStart(answer.body, maxAnswerBytes)
        return { status: answer.statusCode, text, headers: joinHeaders(answer), url }
      } catch (error) {
        throw explain(error)
      }
    },
    async open(request) {
      const { timeoutMs = 15_000, idleMs = timeoutMs } = request
      const { signal, explain } = limitTime(request, timeoutMs)
      try {
        const { answer, url } = await follow(request, { send: sendAgain, check, signal, idleMs })
        const { statusCode: status, body } = answer
        return {
          status,
          headers: joinHeaders(answer),
          url,
          chunks: readChunks(body, explain),
          close: () => body.destroy(),
          release: () => readRest(body),
        }
      } catch (error) {
        throw explain(error)
      }
    },
  }
}

/** The signal that ends a call, and the conversion of what it throws. */
function limitTime({ url, signal: stop }: Pick<OutboundRequest, 'url' | 'signal'>, givenMs: number) {
  // Some versions of Node refuse fractions, which the rest of a longer time has.
  const timeoutMs = Math.max(0, Math.ceil(givenMs))
  const timeUp = AbortSignal.timeout(timeoutMs)
  const explain = (error: unknown): OutboundError => {
    if (error instanceof OutboundError) return error
    const options = { cause: error }
    if (stop?.aborted === true) {
      return new OutboundError('failed', 'The call was cancelled.', { ...options, reason: 'cancelled' })
    }
    if (timeUp.aborted) {
      return new OutboundError('failed', `No answer within ${timeoutMs / 1000} s.`, { ...options, reason: 'timeout' })
    }
    const code = toCode(error)
    const reason = toFailure(code)
    return new OutboundError('failed', `${new URL(url).host} ${toWords(code, reason)} (${code}).`, {
      ...options,
      reason,
    })
  }
  return { signal: stop === undefined ? timeUp : AbortSignal.any([stop, timeUp]), explain }
}

async function* readChunks(body: Dispatcher.ResponseData['body'], explain: (error: unknown) => OutboundError) {
  try {
    // A reader that has enough may leave before the end and release the connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch (error) {
    const explained = explain(error)
    if (explained.reason !== 'connection') throw explained
    throw new OutboundError('failed', explained.message, { cause: error, reason: 'ended' })
  }
}

/** Reads what follows a whole answer, so that its connection can be used again; a body that does not end is destroyed. */
async function readRest(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), REST.ms)
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      if (bytes > REST.bytes) break // leaving the loop ends the connection
    }
  } catch {
    // The connection ended after the answer, which is whole.
  } finally {
    clearTimeout(timer)
  }
  await setImmediate() // the pool learns of a free connection in the next turn
}

function joinHeaders({ headers }: Dispatcher.ResponseData): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')])
  return Object.fromEntries(entries)
}

type SendRequest = (url: string, request: Parameters<typeof send<null>>[1]) => Promise<Dispatcher.ResponseData>

interface Way {
  readonly send: SendRequest
  readonly check: (url: string) => URL
  readonly signal: AbortSignal
  readonly idleMs?: number
}

async function follow(request: OutboundStreamRequest, { send, check, signal, idleMs }: Way) {
  const first = check(request.url)
  let url = first
  let { method, body } = request
  for (let redirects = 0; ; redirects++) {
    const answer = await send(url.href, {
      method,
      headers: {
        'user-agent': USER_AGENT,
        ...request.headers,
        ...(url.origin === first.origin && request.secretHeaders),
      },
      ...(body !== undefined && { body }),
      ...(idleMs !== undefined && { headersTimeout: idleMs, bodyTimeout: idleMs }),
      signal,
    })
    // The reader of the body gets its errors; an unread rest has none that matter.
    answer.body.on('error', () => {})
    const location = REDIRECTS.has(answer.statusCode) ? answer.headers.location : undefined
    if (typeof location !== 'string') return { answer, url: url.href }
    answer.body.destroy()
    if (redirects === MAX_REDIRECTS) throw new OutboundError('refused', `More than ${MAX_REDIRECTS} redirects.`)
    if (!URL.canParse(location, url.href)) throw new OutboundError('refused', 'It redirects to what is no URL.')
    const next = check(new URL(location, url).href)
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new OutboundError('refused', 'It redirects from https to http.')
    }
    if (request.sameHost === true && next.hostname !== first.hostname) {
      throw new OutboundError('refused', `It redirects to another host: ${next.hostname}.`)
    }
    url = next
    if (answer.statusCode < 307) {
      method = 'GET'
      body = undefined
    }
  }
}

async function readStart(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size >= maxBytes) break // leaving the loop ends the connection
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

/** An error code such as `ECONNREFUSED`; the message of an error may quote secrets of the request. */
function toCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}

function toWords(code: string, reason: OutboundFailure): string {
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'sent nothing for too long'
  return reason === 'ended' ? 'ended the connection' : 'could not be reached'
}

function toFailure(code: string): OutboundFailure {
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(code)) return 'dns'
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'timeout'
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(code))
    return 'tls'
  return code === 'UND_ERR_SOCKET' ? 'ended' : 'connection'
}
