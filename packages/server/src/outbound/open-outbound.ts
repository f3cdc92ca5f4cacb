import { Agent, type Dispatcher, request as send } from 'undici'
import { allowedBy, checkUrl, guardedConnect, type Lookup, OutboundError } from './allowed-targets.ts'

/** All requests that this server sends. */
export interface Outbound {
  /**
   * Calls a URL of a user, and follows redirects.
   *
   * @returns any answer, also one with an error status
   * @throws OutboundError
   */
  send(request: OutboundRequest): Promise<OutboundAnswer>
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
}

export interface OutboundAnswer {
  readonly status: number
  /** The beginning of the body, up to `maxAnswerBytes`. */
  readonly text: string
  /** The URL that answered, after redirects. */
  readonly url: string
}

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const USER_AGENT = 'Touchstone'

/**
 * @param allow  hosts, addresses and networks beyond the public internet, as the operator wrote them
 * @param lookup  resolves names in place of the system
 */
export function openOutbound(allow: readonly string[], lookup?: Lookup): Outbound {
  const allowed = allowedBy(allow)
  const agent = new Agent({ connect: guardedConnect(allowed, lookup), maxHeaderSize: 16_384, pipelining: 0 })
  const check = (url: string) => checkUrl(url, allowed)

  return {
    check: (url) => void check(url),
    close: () => agent.destroy(),
    async send(request) {
      const { timeoutMs = 15_000, maxAnswerBytes = 65_536, signal: stop } = request
      const timeUp = AbortSignal.timeout(timeoutMs)
      const signal = stop === undefined ? timeUp : AbortSignal.any([stop, timeUp])
      try {
        return await follow(request, { agent, check, signal, maxAnswerBytes })
      } catch (error) {
        if (error instanceof OutboundError) throw error
        if (timeUp.aborted) throw new OutboundError('failed', `No answer within ${timeoutMs / 1000} s.`)
        const host = new URL(request.url).host
        throw new OutboundError('failed', `${host} could not be reached (${toReason(error)}).`, { cause: error })
      }
    },
  }
}

interface Way {
  readonly agent: Agent
  readonly check: (url: string) => URL
  readonly signal: AbortSignal
  readonly maxAnswerBytes: number
}

async function follow(request: OutboundRequest, { agent, check, signal, maxAnswerBytes }: Way) {
  const first = check(request.url)
  let url = first
  let { method, body } = request
  for (let redirects = 0; ; redirects++) {
    const answer = await send(url.href, {
      dispatcher: agent,
      method,
      headers: {
        'user-agent': USER_AGENT,
        ...request.headers,
        ...(url.origin === first.origin && request.secretHeaders),
      },
      ...(body !== undefined && { body }),
      signal,
    })
    // The reader of the body gets its errors; an unread rest has none that matter.
    answer.body.on('error', () => {})
    const location = REDIRECTS.has(answer.statusCode) ? answer.headers.location : undefined
    if (typeof location !== 'string') {
      return { status: answer.statusCode, text: await readStart(answer.body, maxAnswerBytes), url: url.href }
    }
    answer.body.destroy()
    if (redirects === MAX_REDIRECTS) throw new OutboundError('refused', `More than ${MAX_REDIRECTS} redirects.`)
    if (!URL.canParse(location, url.href)) throw new OutboundError('refused', 'It redirects to what is no URL.')
    const next = check(new URL(location, url).href)
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new OutboundError('refused', 'It redirects from https to http.')
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
function toReason(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}
