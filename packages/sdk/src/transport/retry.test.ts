import { describe, expect, it } from 'vitest'
import { APIConnectionError, APIConnectionTimeoutError, APIError, InsufficientQuotaError } from '../errors.ts'
import { backoffMs, retryAfterMs, retryApiCall, retryIngest } from './retry.ts'

const answered = (status: number) => new APIError('no', { status })
const statuses = (rule: typeof retryApiCall) =>
  Array.from({ length: 200 }, (_, index) => 400 + index).filter((status) => rule(answered(status), 0))

describe('what is tried again', () => {
  it('is, of calls, everything but 400–409 without 408', () => {
    const refused = [400, 401, 402, 403, 404, 405, 406, 407, 409]
    expect(statuses(retryApiCall)).toEqual(
      Array.from({ length: 200 }, (_, index) => 400 + index).filter((status) => !refused.includes(status)),
    )
  })

  it('is, of ingest, what passes with time', () => {
    expect(statuses(retryIngest).filter((status) => status < 500)).toEqual([408, 425, 429])
    expect(statuses(retryIngest).filter((status) => status >= 500)).toHaveLength(100)
  })

  it('is a lost connection, and, of ingest only, one time-out', () => {
    for (const rule of [retryApiCall, retryIngest]) {
      expect(rule(new APIConnectionError('lost'), 5)).toBe(true)
      expect(rule(new InsufficientQuotaError('empty', { status: 429 }), 0)).toBe(false)
      expect(rule(new DOMException('stop', 'AbortError'), 0)).toBe(false)
      expect(rule(new TypeError('Invalid URL'), 0)).toBe(false)
    }
    const late = new APIConnectionTimeoutError('late')
    expect([retryApiCall(late, 0), retryIngest(late, 0), retryIngest(late, 1)]).toEqual([false, true, false])
  })
})

describe('the pause before it', () => {
  it('doubles, at random between once and twice', () => {
    const at = (random: number) => [0, 1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, () => random))
    expect(at(0)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000])
    expect(at(0.5)).toEqual([1500, 3000, 6000, 12_000, 24_000, 48_000])
  })

  it.each([
    ['2', 2000],
    ['0', 0],
    ['0.5', 500],
    ['3600', 60_000],
    ['Thu, 01 Jan 1970 00:00:30 GMT', 20_000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])('is, of Retry-After %j, %s ms', (value, ms) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), 10_000)).toBe(ms)
  })
})
