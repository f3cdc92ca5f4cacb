import { describe, expect, it } from 'vitest'
import type { SendResult } from './kinds/index.ts'
import { PAUSES, planRetry } from './retries.ts'

const DAY = 24 * 3600
const result = (given: Partial<SendResult> = {}): SendResult => ({
  outcome: 'retry',
  status: 503,
  text: null,
  error: 'It answered 503.',
  ...given,
})
const plan = (given: Partial<SendResult>, attempts: number, ageSeconds = 0, random = 0.5) =>
  planRetry(result(given), { attempts, ageSeconds, random })

describe('the next try of a delivery', () => {
  it('comes after the pause of the tries so far', () => {
    expect(PAUSES.map((_, at) => plan({}, at + 1))).toEqual(PAUSES.map((afterSeconds) => ({ afterSeconds })))
  })

  it('is spread by a fifth', () => {
    expect([plan({}, 3, 0, 0), plan({}, 3, 0, 1)]).toEqual([{ afterSeconds: 96 }, { afterSeconds: 144 }])
  })

  it('comes when the receiver asks for it, but not earlier than usual', () => {
    expect(plan({ retryAfterSeconds: 600 }, 1)).toEqual({ afterSeconds: 600 })
    expect(plan({ retryAfterSeconds: 1 }, 2)).toEqual({ afterSeconds: 30 })
  })

  it('comes within a day of the notice, or not at all', () => {
    expect(plan({}, 9, DAY - 60)).toEqual({ afterSeconds: 60 })
    expect(plan({}, 9, DAY)).toEqual({ problem: 'It answered 503. A delivery is tried for a day.' })
    expect(plan({ retryAfterSeconds: DAY + 1 }, 1)).toHaveProperty('problem')
    expect(plan({}, PAUSES.length + 1)).toEqual({ problem: 'It answered 503. It was tried 10 times.' })
  })

  it('does not come after a final answer', () => {
    expect(plan({ outcome: 'failed' }, 1)).toEqual({ problem: 'It answered 503.' })
    expect(plan({ outcome: 'gone' }, 1)).toEqual({ problem: 'It answered 503.' })
  })
})
