import { describe, expect, it } from 'vitest'
import { printMoney, toMoney } from './money.ts'

describe('amounts of money', () => {
  it.each([
    [0.1, '0.1'],
    [7.5e-8, '0.000000075'],
    ['12', '12'],
    ['0.000000000000000001', '0.000000000000000001'],
    [0, '0'],
  ])('keeps %s as %s', (given, text) => {
    expect(printMoney(toMoney(given)!)).toBe(text)
  })

  it.each([[-1], ['x'], [Number.NaN], [null], [{}]])('does not take %s for money', (given) => {
    expect(toMoney(given)).toBeUndefined()
  })
})
