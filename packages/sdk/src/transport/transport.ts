import type { PlainRoute, RouteAnswer } from '@touchstone/contract'
import type { Connection } from '../config/connection.ts'
import { APIConnectionError, APIConnectionTimeoutError, TouchstoneError } from '../errors.ts'
import { RateLimitedWarning } from '../logger.ts'
import { setsUserAgent } from '../runtime/runtime.ts'
import type { ApiRoute } from '../schemas.ts'
import { version } from '../version.ts'
import { currentFetch } from './fetch.ts'
import { type Reply, readCode, toHttpError } from './http-error.ts'
import { Limiter } from './limiter.ts'
import { describeRequest, type Request, type RequestOf, toUrl } from './request.ts'
import { backoffMs, retryAfterMs, retryApiCall } from './retry.ts'

/** One server, one set of credentials: headers, time-outs, retries and errors live here and nowhere else. */
export class Transport {
  readonly #resolve: () => Connection
  #connection: Connection | undefined
  #limiter: Limiter | undefined
  /** By what the server did with fields of a request. */
  readonly #notes = { ignored: new RateLimitedWarning(), repaired: new RateLimitedWarning() }

  /** @param resolve called once, at the first use, so that configuration loaded after the import still counts */
  constructor(resolve: () => Connection) {
    this.#resolve = resolve
  }

  get connection(): Connection {
    this.#connection ??= this.#resolve()
    return this.#connection
  }

  /** Resolves with the parsed body of any 2xx answer; `undefined` for an empty one. @internal */
  async call<const Route extends PlainRoute>(route: Route, request: RequestOf<Route>): Promise<RouteAnswer<Route>> {
    const { text } = await this.send(route, request)
    return (text === '' ? undefined : JSON.parse(text)) as RouteAnswer<Route>
  }

  /** Resolves with any 2xx answer, read to its end; rejects with an error of `../errors.ts` or the caller's abort reason. */
  async send(route: ApiRoute, request: Request): Promise<Reply> {
    return await this.#repeat(route, request, readReply)
  }

  /**
   * Resolves with any 2xx answer as soon as its headers arrived, for streams and bytes. The time-out covers the headers;
   * a signal also aborts the body.
   */
  async raw(route: ApiRoute, request: Request): Promise<Response> {
    return await this.#repeat(route, request, keepOpen)
  }

  async #repeat<T>(route: ApiRoute, request: Request, read: ReadAnswer<T>): Promise<T> {
    const retries = request.maxRetries ?? this.connection.maxRetries
    const retry = request.retry ?? retryApiCall
    this.#limiter ??= new Limiter(this.connection.maxConcurrency)
    const limiter = this.#limiter
    for (let attempt = 0; ; attempt++) {
      await request.beforeAttempt?.()
      try {
        return await limiter.run(() => this.#attempt(route, request, read))
      } catch (failure) {
        const pauseMs = askedPauses.get(failure as object)
        const isRetried =
          !request.signal?.aborted && attempt < retries && retry(failure, attempt, this.connection.retryStatus)
        request.onFailure?.(failure, { pauseMs, isRetried })
        if (!isRetried) throw failure
        await sleep(pauseMs ?? backoffMs(attempt), request.signal)
      }
    }
  }

  async #attempt<T>(route: ApiRoute, request: Request, read: ReadAnswer<T>): Promise<T> {
    const { connection } = this
    const url = toUrl(connection.apiUrl, route, request)
    const { signal, timeoutMs = connection.timeoutMs } = request
    const deadline = startDeadline(timeoutMs, [signal, connection.fetchOptions.signal])
    log(connection, `→ ${route.method} ${url}`)
    try {
      const response = await currentFetch(connection.fetch)(url, this.#init(route, request, deadline.signal))
      connection.onAttempt?.(true)
      log(connection, `← ${response.status} ${route.method} ${url}`)
      if (!response.ok) {
        await connection.onFailedResponse?.(response.clone())
        const reply = await readReply(response)
        const { toError = toHttpError } = request
        const error = toError(describeRequest(route, request), reply)
        askedPauses.set(error, retryAfterMs(reply.headers))
        throw error
      }
      for (const [what, warning] of Object.entries(this.#notes)) {
        const names = response.headers.get(`x-touchstone-${what}`)
        if (names) warning.log(connection.logger, `${describeRequest(route, request)} ${what} ${names}`)
      }
      return await read(response)
    } catch (failure) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      const error = toConnectionError(failure, describeRequest(route, request), url)
      if (error instanceof APIConnectionError) connection.onAttempt?.(false)
      throw error
    } finally {
      deadline.stop((read as unknown) !== keepOpen)
    }
  }

  #init(route: ApiRoute, request: Request, signal: AbortSignal): RequestInit {
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

/** Aborts one attempt when its time is up or one of the callers' signals fires, with the reason to reject with. */
function startDeadline(ms: number, others: readonly (AbortSignal | null | undefined)[]) {
  const controller = new AbortController()
  const { signal } = controller
  const follow = ({ target }: { target: unknown }) => controller.abort((target as AbortSignal).reason)
  const timeout = () => {
    const cause = new DOMException('aborted', 'TimeoutError')
    controller.abort(new APIConnectionTimeoutError(`Request timed out after ${ms} ms.`, { cause }))
  }
  const timer = setTimeout(timeout, ms)
  for (const other of others) {
    if (other?.aborted) follow({ target: other })
    else other?.addEventListener('abort', follow)
  }
  /** @param isOver  the body was read too, so that no signal has anything left to abort */
  const stop = (isOver: boolean) => {
    clearTimeout(timer)
    if (isOver) for (const other of others) other?.removeEventListener('abort', follow)
  }
  return { signal, stop }
}

async function readReply(response: Response): Promise<Reply> {
  const { status, statusText, headers } = response
  return { status, statusText, headers, text: await response.text() }
}

/** Pauses asked for by `Retry-After`, kept beside the errors so that they stay out of what users print. */
const askedPauses = new WeakMap<object, number | undefined>()

function toConnectionError(failure: unknown, doing: string, url: string): unknown {
  if (failure instanceof TouchstoneError) return failure
  if (isMisuse(failure)) return failure
  const cause = failure instanceof Error ? failure : new Error(String(failure))
  const why = readCode(cause.cause) ?? readCode(cause)
  return new APIConnectionError(
    `Failed to ${doing}. No answer from ${url}: ${cause.message}${why ? ` (${why})` : ''}`,
    { cause },
  )
}

/** `fetch` reports bad URLs and headers as a `TypeError` too; sending those again cannot help. */
function isMisuse(failure: unknown): boolean {
  if (!(failure instanceof TypeError)) return false
  return (
    /URL|header|RequestInit/i.test(failure.message) || (readCode(failure.cause)?.startsWith('ERR_INVALID') ?? false)
  )
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

function log({ debug, logger }: Connection, message: string): void {
  if (debug) logger.debug?.(message)
}
