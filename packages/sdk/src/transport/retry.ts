import { APIConnectionError, APIConnectionTimeoutError, APIError, InsufficientQuotaError } from '../errors.ts'

/**
 * Whether a failed attempt is worth another; `attempt` counts from 0.
 *
 * @param retryStatus  `CallerOptions.retryStatus`
 */
export type RetryRule = (failure: unknown, attempt: number, retryStatus?: (status: number) => boolean) => boolean

/**
 * The rule for ordinary calls: no retry on 400–409 except 408, on aborts, time-outs or an exhausted quota; everything
 * else again. A network error or a 5xx may hide a request that did its work, so a retried creation can meet itself as a 409.
 */
export const retryApiCall: RetryRule = (failure, _, retryStatus = (status) => status === 408 || status > 409) => {
  if (!(failure instanceof APIError) || failure instanceof InsufficientQuotaError) return false
  if (failure instanceof APIConnectionTimeoutError) return false
  if (failure instanceof APIConnectionError) return true
  return retryStatus(failure.status ?? 0)
}

/**
 * The rule for trace ingest, which is idempotent by run id: what passes with time is sent again, what is wrong with the
 * request is not (413 and 422 are answered by splitting it). One time-out is forgiven.
 */
export const retryIngest: RetryRule = (failure, attempt) => {
  if (!(failure instanceof APIError) || failure instanceof InsufficientQuotaError) return false
  if (failure instanceof APIConnectionTimeoutError) return attempt === 0
  if (failure instanceof APIConnectionError) return true
  const status = failure.status ?? 0
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/** 1–2 s before the first retry, 2–4 s before the second, and so on. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round((1 + random()) * 1000 * 2 ** attempt)
}

const MAX_RETRY_AFTER_MS = 60_000

/** `Retry-After` as milliseconds from now: seconds or an HTTP date, at most a minute. */
export function retryAfterMs(headers: Headers | undefined, now: number = Date.now()): number | undefined {
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined
}
