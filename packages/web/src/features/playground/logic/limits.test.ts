import { expect, it } from 'vitest'
import { describeLimits, NO_LIMITS, readLimits, toLimitTexts } from './limits.ts'

it('reads limits, and none from empty fields', () => {
  expect(readLimits(NO_LIMITS)).toEqual({ limits: { max_cost_usd: null, max_seconds: null }, problems: {} })
  expect(readLimits({ usd: ' 1.5', minutes: '0.5' })).toEqual({
    limits: { max_cost_usd: 1.5, max_seconds: 30 },
    problems: {},
  })
})

it.each(['0', '-1', 'two', '1,5', '1e9', 'Infinity', 'NaN'])('refuses %j in both fields', (text) => {
  expect(Object.keys(readLimits({ usd: text, minutes: text }).problems)).toEqual(['usd', 'minutes'])
})

it('refuses a limit that the calls have reached already', () => {
  expect(readLimits({ usd: '0.5', minutes: '' }, 0.5).problems.usd).toContain('have cost $0.5')
  expect(readLimits({ usd: '0.6', minutes: '' }, 0.5).problems).toEqual({})
})

it('prints limits for the fields and in words', () => {
  expect(toLimitTexts({})).toEqual(NO_LIMITS)
  expect(toLimitTexts({ max_cost_usd: 0.25, max_seconds: 90 })).toEqual({ usd: '0.25', minutes: '1.5' })
  expect(describeLimits({ max_cost_usd: null, max_seconds: null })).toBeUndefined()
  expect(describeLimits({ max_cost_usd: 2, max_seconds: 1800 })).toMatch(/^at most \$2\S* and 30 min$/)
})
