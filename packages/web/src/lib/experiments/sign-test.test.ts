import { describe, expect, it } from 'vitest'
import { signTest } from './sign-test.ts'

describe('the sign test', () => {
  it.each([
    [5, 0, 0.0625],
    [0, 6, 0.03125],
    [8, 2, 0.109375],
    [10, 10, 1],
    [1, 0, 1],
  ])('of %d wins and %d losses has the exact p value', (wins, losses, p) => {
    expect(signTest(wins, losses)).toBeCloseTo(p, 10)
  })

  it('is symmetric, and works with thousands of pairs', () => {
    expect(signTest(58, 30)).toBeCloseTo(signTest(30, 58) ?? Number.NaN, 12)
    expect(signTest(58, 30)).toBeCloseTo(0.003_74, 4)
    expect(signTest(2000, 1990)).toBeGreaterThan(0.8)
    expect(signTest(4000, 1000)).toBeLessThan(1e-100)
  })

  it('is undefined without a decided pair', () => {
    expect(signTest(0, 0)).toBeUndefined()
  })
})
