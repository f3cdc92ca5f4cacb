import { ingestBatch, ingestMultipart } from '@touchstone/contract/routes/ingest'
import { APIConnectionError, APIError, InsufficientQuotaError } from '../../errors.ts'
import { parseRecord } from '../../guards.ts'
import { RateLimitedWarning } from '../../logger.ts'
import type { Reply } from '../../transport/http-error.ts'
import { retryIngest } from '../../transport/retry.ts'
import type { Transport } from '../../transport/transport.ts'
import { type Bytes, encodeText } from '../text-bytes.ts'
import type { TurnBudget } from './budgets.ts'
import type { Dump } from './dump.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { type FieldName, type Operation, updateSize } from './operation.ts'
import { gzip, toJsonBody, toMultipartBody } from './request-body.ts'

/** Removing parts smaller than this does not help a request that is too large. */
const MIN_REMOVABLE_BYTES = 1024

/**
 * Returns the run without its largest field or attachment, with a marker that states the original size. `undefined`
 * when nothing large is left.
 */
function removeLargestPart(operation: Operation): Operation | undefined {
  const fields = new Map(operation.fields)
  const attachments = new Map(operation.attachments)
  const parts = [
    ...[...fields].map(([name, { length }]) => ({
      length,
      remove: () => fields.set(name, createMarker(name, length)),
    })),
    ...[...attachments].map(([name, { data }]) => ({ length: data.length, remove: () => attachments.delete(name) })),
  ]
  const largest = parts.sort((a, b) => b.length - a.length)[0]
  if (!largest || largest.length < MIN_REMOVABLE_BYTES) return undefined
  largest.remove()
  return updateSize({ ...operation, fields, attachments })
}

function createMarker(field: FieldName, size: number): Bytes {
  const text = `Left out: ${field} of ${size} bytes, more than the server accepts`
  const value = field === 'error' ? text : field === 'events' ? [] : { ls_error: text }
  return encodeText(JSON.stringify(value))
}

/** Delays all requests of one sender after the server asked for a pause. */
class Backoff {
  #endsAt = 0

  pause(ms: number, now: number = Date.now()): void {
    this.#endsAt = Math.max(this.#endsAt, now + ms)
  }

  /** Resolves when the pause is over, including extensions made while waiting. */
  async wait(): Promise<void> {
    for (let remainingMs = this.#endsAt - Date.now(); remainingMs > 0; remainingMs = this.#endsAt - Date.now()) {
      await new Promise((resolve) => setTimeout(resolve, remainingMs))
    }
  }
}

/**
 * Sends operations to a server and loses as little as possible: a request that is too large or rejected is halved until
 * the bad run is alone, and a run that is too large by itself is sent without its largest part. Never rejects.
 * Operations that could not be delivered are logged and, if a dump directory is configured, written there.
 */
export async function deliver(operations: readonly Operation[], sender: Sender): Promise<void> {
  // A strict server rejects a whole request because of one inconsistent id, so such runs are sent one by one.
  await send(
    operations.filter(({ wellFormed }) => wellFormed),
    sender,
  )
  for (const doubtful of operations.filter(({ wellFormed }) => !wellFormed)) await send([doubtful], sender)
}

async function send(operations: readonly Operation[], sender: Sender): Promise<void> {
  if (operations.length === 0) return
  const { multipart } = sender.limits
  try {
    await sender.post(operations, multipart)
  } catch (failure) {
    const status = failure instanceof APIError ? failure.status : undefined
    const [only, ...others] = operations
    if (status === 404 && multipart) {
      sender.limits = { ...sender.limits, multipart: false }
      return send(operations, sender)
    }
    if ((status === 413 || status === 422) && others.length > 0) return sendInHalves(operations, sender)
    const smaller = status === 413 && only ? removeLargestPart(only) : undefined
    if (smaller) return send([smaller], sender)
    sender.giveUp(operations, failure)
  }
}

async function sendInHalves(operations: readonly Operation[], sender: Sender): Promise<void> {
  const middle = Math.ceil(operations.length / 2)
  await send(operations.slice(0, middle), sender)
  await send(operations.slice(middle), sender)
}

interface SenderOptions {
  /** Copying megabytes into a body counts against the time budget too. */
  budget: TurnBudget
  compress: boolean
  dump: Dump | undefined
}

/** Sends requests to one server and keeps the state learned about it. */
export class Sender {
  limits: Limits = DEFAULT_LIMITS
  readonly #transport: Transport
  readonly #options: SenderOptions
  readonly #backoff = new Backoff()
  readonly #warnings = {
    access: new RateLimitedWarning(),
    outage: new RateLimitedWarning(),
    retry: new RateLimitedWarning(),
    repaired: new RateLimitedWarning(),
    quota: new RateLimitedWarning(Number.POSITIVE_INFINITY),
  }
  #hasWarnedAboutAttachments = false

  constructor(transport: Transport, options: SenderOptions) {
    this.#transport = transport
    this.#options = options
  }

  async post(operations: readonly Operation[], multipart: boolean): Promise<void> {
    if (!multipart) this.#warnAboutAttachments(operations)
    const build = () => (multipart ? toMultipartBody(operations) : toJsonBody(operations))
    const { bytes, contentType } = await this.#options.budget.run(build)
    const zipped = this.limits.gzip && this.#options.compress ? await gzip(bytes) : undefined
    const reply = await this.#transport.send(multipart ? ingestMultipart : ingestBatch, {
      bytes: zipped ?? bytes,
      headers: { 'content-type': contentType, ...(zipped && { 'content-encoding': 'gzip' }) },
      doing: `send runs to ${this.#transport.connection.apiUrl}`,
      retry: retryIngest,
      beforeAttempt: () => this.#backoff.wait(),
      onFailure: (failure, { pauseMs, isRetried }) => {
        if (failure instanceof APIError && failure.status === 429) this.#backoff.pause(pauseMs ?? DEFAULT_PAUSE_MS)
        if (failure instanceof APIConnectionError && isRetried) this.#warnAboutOutage(failure)
      },
    })
    this.#reportReceipt(reply)
  }

  giveUp(operations: readonly Operation[], failure: unknown): void {
    const { logger } = this.#transport.connection
    const message = `${failure instanceof Error ? failure.message : String(failure)}. Dropped ${formatContext(operations)}`
    const status = failure instanceof APIError ? failure.status : undefined
    if (failure instanceof InsufficientQuotaError) this.#warnings.quota.log(logger, message)
    else if (status === 401 || status === 403) this.#warnings.access.log(logger, this.#accessMessage(status, message))
    else if (status === undefined || status === 429 || status >= 500) this.#warnings.outage.log(logger, message)
    else logger.warn(`[touchstone] ${message}`)
    this.dump(operations)
  }

  dump(operations: readonly Operation[]): void {
    const { multipart } = this.limits
    const body = this.#options.dump && (multipart ? toMultipartBody(operations) : toJsonBody(operations))
    if (body) this.#options.dump?.(multipart ? 'runs/multipart' : 'runs/batch', body, this.#transport.connection)
  }

  #accessMessage(status: number, message: string): string {
    const { apiUrl, apiKey } = this.#transport.connection
    const why = apiKey ? 'rejected the API key' : 'requires an API key, and none is set (TOUCHSTONE_API_KEY)'
    return `Tracing is on, but ${apiUrl} ${why} [${status}]. ${message}`
  }

  /** Logged on the first failed attempt: a program that seems to hang at its end may be waiting for this retry. */
  #warnAboutOutage(failure: APIConnectionError): void {
    this.#warnings.retry.log(this.#transport.connection.logger, `${failure.message}. Runs are kept and sent again.`)
  }

  #warnAboutAttachments(operations: readonly Operation[]): void {
    if (this.#hasWarnedAboutAttachments || !operations.some(({ attachments }) => attachments.size > 0)) return
    this.#hasWarnedAboutAttachments = true
    this.#transport.connection.logger.warn(
      '[touchstone] This server accepts runs as JSON only: attachments are not sent.',
    )
  }

  /** A 2xx response may still list runs that the server could not store, or not as they were sent. */
  #reportReceipt({ text }: Reply): void {
    const { logger } = this.#transport.connection
    const { errors, repaired } = parseRecord(text)
    for (const { run_id, error } of toItems(errors)) {
      logger.warn(`[touchstone] The server did not store run ${run_id}: ${error}`)
    }
    for (const { run_id, fields } of toItems(repaired))
      this.#warnings.repaired.log(logger, `Repaired in run ${run_id}: ${fields}`)
  }
}

/** Backoff after a 429 without `Retry-After`. */
const DEFAULT_PAUSE_MS = 1000

const MAX_NAMED = 10

function formatContext(operations: readonly Operation[]): string {
  const named = operations.slice(0, MAX_NAMED).map(({ id, main }) => `trace=${main.trace_id},id=${id}`)
  const rest = operations.length > MAX_NAMED ? `; and ${operations.length - MAX_NAMED} more` : ''
  return `${named.join('; ')}${rest}`
}

const toItems = (list: unknown) => (Array.isArray(list) ? list : []) as Record<'run_id' | 'error' | 'fields', unknown>[]
