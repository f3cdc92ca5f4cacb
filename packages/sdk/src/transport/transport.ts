import type { PlainRoute, RouteAnswer } from '@touchstone/contract'
import type { Connection } from '../config/connection.ts'
import { APIConnectionError, APIConnectionTimeoutError, TouchstoneError } from '../errors.ts'
import { setsUserAgent } from '../runtime/runtime.ts'
import { version } from '../version.ts'
import { currentFetch } from './fetch.ts'
import { type Reply, toHttpError } from './http-error.ts'
import { Limiter } from './limiter.ts'
import { describeRequest, type Request, type RequestOf, toUrl } from './request.ts'
import { backoffMs, retryAfterMs, retryApiCall } from './retry.ts'

/** One server, one set of credentials: headers, time-outs, retries and errors live here and nowhere else. */
export class Transport {
  readonly #resolve: () => Connection
  #connection: Connection | undefined
  #limiter: Limiter | undefined
  #isReachable = true

  /** @param resolve called once, at the first use, so that configuration loaded after the import still counts */
  constructor(resolve: () => Connection) {
    this.#resolve = resolve
  }

  get connection(): Connection {
    this.#connection ??= this.#resolve()
    return this.#connection
  }

  /** Resolves with the parsed body of any 2xx answer; `undefined` for an empty one. */
  async call<const Route extends PlainRoute>(route: Route, request: RequestOf<Route>): Promise<RouteAnswer<Route>> {
    const { text } = await this.send(route, request)
    return (text === '' ? undefined : JSON.parse(text)) as RouteAnswer<Route>
  }

  /** Resolves with any 2xx answer, read to its end; rejects with an error of `../errors.ts` or the caller's abort reason. */
  async send(route: PlainRoute, request: Request): Promise<Reply> {
    return await this.#repeat(route, request, readReply)
  }

  /**
   * Resolves with any 2xx answer as soon as its headers arrived, for streams and bytes. The time-out covers the headers;
   * a signal also aborts the body.
   */
  async raw(route: PlainRoute, request: Request): Promise<Response> {
    return await this.#repeat(route, request, keepOpen)
  }

  async #repeat<T>(route: PlainRoute, request: Request, read: ReadAnswer<T>): Promise<T> {
    const retries = request.maxRetries ?? this.connection.maxRetries
    const retry = request.retry ?? retryApiCall
    for (let attempt = 0; ; attempt++) {
      await request.beforeAttempt?.()
      try {
        return await this.#inTurn(() => this.#attempt(route, request, read))
      } catch (failure) {
        const pauseMs = askedPauses.get(failure as object)
        const isRetried = !request.signal?.aborted && attempt < retries && retry(failure, attempt)
        request.onFailure?.(failure, { pauseMs, isRetried })
        if (!isRetried) throw failure
        await sleep(pauseMs ?? backoffMs(attempt), request.signal)
      }
    }
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const { maxConcurrency } = this.connection
    if (maxConcurrency === Number.POSITIVE_INFINITY) return task()
    this.#limiter ??= new Limiter(maxConcurrency)
    return this.#limiter.run(task)
  }

  async #attempt<T>(route: PlainRoute, request: Request, read: ReadAnswer<T>): Promise<T> {
    const { connection } = this
    const url = toUrl(connection.apiUrl, route, request)
    const { signal, timeoutMs = connection.timeoutMs } = request
    const deadline = new Deadline(timeoutMs, signal, connection.fetchOptions.signal)
    if (connection.debug) log(connection, `→ ${route.method} ${url}`)
    try {
      const response = await currentFetch(connection.fetch)(url, this.#init(route, request, deadline.signal))
      this.#reportReachable(true)
      if (connection.debug) log(connection, `← ${response.status} ${route.method} ${url}`)
      if (!response.ok) {
        await connection.onFailedResponse?.(response.clone())
        const reply = await readReply(response)
        const { toError = toHttpError } = request
        throw withPause(toError(describeRequest(route, request), reply), retryAfterMs(reply.headers))
      }
      return await read(response)
    } catch (failure) {
      throw deadline.explain(failure) ?? this.#toConnectionError(failure, describeRequest(route, request), url)
    } finally {
      if ((read as unknown) === keepOpen) deadline.stopTimer()
      else deadline.clear()
    }
  }

  #toConnectionError(failure: unknown, doing: string, url: string): unknown {
    const error = toConnectionError(failure, doing, url)
    if (error instanceof APIConnectionError) this.#reportReachable(false)
    return error
  }

  #reportReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) return
    this.#isReachable = isReachable
    this.connection.onReachabilityChange?.(isReachable)
  }

  #init(route: PlainRoute, request: Request, signal: AbortSignal): RequestInit {
    const { connection } = this
    const body = request.bytes ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
    const headers = new Headers(connection.fetchOptions.headers)
    const set = (more: Record<string, string>) => {
      for (const [name, value] of Object.entries(more)) headers.set(name, value)
    }
    if (setsUserAgent()) headers.set('user-agent', `touchstone-js/${version}`)
    set(connection.headers)
    headers.set('accept', 'application/json')
    if (request.body !== undefined) headers.set('content-type', 'application/json')
    set(request.headers ?? {})
    if (connection.apiKey) headers.set('x-api-key', connection.apiKey)
    if (connection.workspaceId) headers.set('x-tenant-id', connection.workspaceId)
    return { ...connection.fetchOptions, method: route.method, headers, signal, ...(body !== undefined && { body }) }
  }
}

type ReadAnswer<T> = (response: Response) => T | Promise<T>

/** Leaves the body to the caller. */
const keepOpen = (response: Response): Response => response

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

  stopTimer(): void {
    clearTimeout(this.#timer)
  }

  clear(): void {
    this.stopTimer()
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

function toConnectionError(failure: unknown, doing: string, url: string): unknown {
  if (failure instanceof TouchstoneError) return failure
  if (isMisuse(failure)) return failure
  const cause = failure instanceof Error ? failure : new Error(String(failure))
  const why = errorCode(cause.cause) ?? errorCode(cause)
  return new APIConnectionError(
    `Failed to ${doing}. No answer from ${url}: ${cause.message}${why ? ` (${why})` : ''}`,
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
