import type { CallOptions } from '../config/client-config.ts'
import type { Connection } from '../config/connection.ts'
import { APIConnectionError, APIConnectionTimeoutError, TouchstoneError } from '../errors.ts'
import { setsUserAgent } from '../runtime/runtime.ts'
import { version } from '../version.ts'
import { currentFetch } from './fetch.ts'
import { httpError, type Reply } from './http-error.ts'
import { Limiter } from './limiter.ts'
import { type Query, queryString } from './query-string.ts'
import { backoffMs, type RetryRule, retryAfterMs, retryApiCall } from './retry.ts'

export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  /** `v2`: below the second prefix of the same server. */
  family?: 'v2' | undefined
  query?: Query | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, with its own headers; instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer> | undefined
  headers?: Record<string, string> | undefined
  /** Completes "Failed to …". */
  doing: string
  retry?: RetryRule | undefined
  /** Awaited before each attempt, so that one refusal can hold back its neighbours. */
  beforeAttempt?: (() => Promise<void>) | undefined
  /** Told of each failed attempt: the pause the server asked for, and whether there will be another. */
  onFailure?: ((failure: unknown, next: { pauseMs: number | undefined; isRetried: boolean }) => void) | undefined
}

/** One server, one set of credentials: headers, time-outs, retries and errors live here and nowhere else. */
export class Transport {
  readonly #resolve: () => Connection
  #connection: Connection | undefined
  #limiter: Limiter | undefined

  /** @param resolve called once, at the first use, so that configuration loaded after the import still counts */
  constructor(resolve: () => Connection) {
    this.#resolve = resolve
  }

  get connection(): Connection {
    this.#connection ??= this.#resolve()
    return this.#connection
  }

  async json<T>(call: Call): Promise<T> {
    const { text } = await this.send(call)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Resolves with any 2xx answer, read to its end; rejects with an error of `../errors.ts` or the caller's abort reason. */
  async send(call: Call): Promise<Reply> {
    const retries = call.maxRetries ?? this.connection.maxRetries
    const retry = call.retry ?? retryApiCall
    for (let attempt = 0; ; attempt++) {
      await call.beforeAttempt?.()
      try {
        return await this.#inTurn(() => this.#attempt(call))
      } catch (failure) {
        const pauseMs = askedPauses.get(failure as object)
        const isRetried = !call.signal?.aborted && attempt < retries && retry(failure, attempt)
        call.onFailure?.(failure, { pauseMs, isRetried })
        if (!isRetried) throw failure
        await sleep(pauseMs ?? backoffMs(attempt), call.signal)
      }
    }
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const { maxConcurrency } = this.connection
    if (maxConcurrency === Number.POSITIVE_INFINITY) return task()
    this.#limiter ??= new Limiter(maxConcurrency)
    return this.#limiter.run(task)
  }

  async #attempt(call: Call): Promise<Reply> {
    const { connection } = this
    const url = `${baseOf(connection.apiUrl, call.family)}${call.path}${queryString(call.query)}`
    const deadline = new Deadline(call.timeoutMs ?? connection.timeoutMs, call.signal, connection.fetchOptions.signal)
    if (connection.debug) log(connection, `→ ${call.method} ${url}`)
    try {
      const response = await currentFetch(connection.fetch)(url, this.#init(call, deadline.signal))
      if (connection.debug) log(connection, `← ${response.status} ${call.method} ${url}`)
      if (!response.ok) await connection.onFailedResponse?.(response.clone())
      const reply = await readReply(response)
      if (response.ok) return reply
      throw withPause(httpError(call.doing, reply), retryAfterMs(reply.headers))
    } catch (failure) {
      throw deadline.explain(failure) ?? asConnectionError(failure, call, url)
    } finally {
      deadline.clear()
    }
  }

  #init(call: Call, signal: AbortSignal): RequestInit {
    const { connection } = this
    const body = call.bytes ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    const headers = new Headers(connection.fetchOptions.headers)
    const set = (more: Record<string, string>) => {
      for (const [name, value] of Object.entries(more)) headers.set(name, value)
    }
    if (setsUserAgent()) headers.set('user-agent', `touchstone-js/${version}`)
    set(connection.headers)
    headers.set('accept', 'application/json')
    if (call.body !== undefined) headers.set('content-type', 'application/json')
    set(call.headers ?? {})
    if (connection.apiKey) headers.set('x-api-key', connection.apiKey)
    if (connection.workspaceId) headers.set('x-tenant-id', connection.workspaceId)
    return { ...connection.fetchOptions, method: call.method, headers, signal, ...(body !== undefined && { body }) }
  }
}

function baseOf(apiUrl: string, family: Call['family']): string {
  return family === 'v2' ? `${apiUrl.replace(/\/v1$/, '')}/v2` : apiUrl
}

/** Aborts one attempt when its time is up or one of the callers' signals fires, and remembers which it was. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #others: AbortSignal[]
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #ms: number
  #late = false

  constructor(ms: number, ...others: (AbortSignal | null | undefined)[]) {
    this.#ms = ms
    this.#others = others.filter((signal) => signal != null)
    this.#timer = setTimeout(() => {
      this.#late = true
      this.#controller.abort()
    }, ms)
    for (const signal of this.#others) {
      if (signal.aborted) this.#controller.abort(signal.reason)
      else signal.addEventListener('abort', this.#follow)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What an aborted attempt should reject with; `undefined` when it failed for a reason of its own. */
  explain(cause: unknown): unknown {
    const aborted = this.#others.find((signal) => signal.aborted)
    if (aborted) return aborted.reason
    if (this.#late) return new APIConnectionTimeoutError(`Request timed out after ${this.#ms} ms.`, { cause })
    return undefined
  }

  clear(): void {
    clearTimeout(this.#timer)
    for (const signal of this.#others) signal.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => this.#controller.abort()
}

async function readReply(response: Response): Promise<Reply> {
  const { status, statusText, headers } = response
  return { status, statusText, headers, text: await response.text() }
}

/** Pauses asked for by `Retry-After`, kept beside the errors so that they stay out of what users print. */
const askedPauses = new WeakMap<object, number>()

function withPause<E extends Error>(error: E, pauseMs: number | undefined): E {
  if (pauseMs !== undefined) askedPauses.set(error, pauseMs)
  return error
}

function asConnectionError(failure: unknown, call: Call, url: string): unknown {
  if (failure instanceof TouchstoneError) return failure
  if (isMisuse(failure)) return failure
  const cause = failure instanceof Error ? failure : new Error(String(failure))
  const why = errorCode(cause.cause) ?? errorCode(cause)
  return new APIConnectionError(
    `Failed to ${call.doing}. No answer from ${url}: ${cause.message}${why ? ` (${why})` : ''}`,
    { cause },
  )
}

/** `fetch` reports bad URLs and headers as a `TypeError` too; sending those again cannot help. */
function isMisuse(failure: unknown): boolean {
  if (!(failure instanceof TypeError)) return false
  return (
    /URL|header|RequestInit/i.test(failure.message) || (errorCode(failure.cause)?.startsWith('ERR_INVALID') ?? false)
  )
}

function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake)
  })
}

function log(connection: Connection, message: string): void {
  connection.logger.debug?.(message)
}
