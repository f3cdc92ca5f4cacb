import { describe, expect, it } from 'vitest'
import { printMoney, toMoney } from './money.ts'

describe('amounts of money', () => {
  it.each([
    [0.1, '0.1'],
    [7.5e-8, '0.000000075'],
    ['3.5e-6', '0.0000035'],
    ['1e-07', '0.0000001'],
    ['12.5E+1', '125'],
    ['1e0', '1'],
    ['0e10', '0'],
    ['1e-19', '0'],
    ['19e-19', '0.000000000000000001'],
    ['0.0000000000000000019', '0.000000000000000001'],
    [1e17, '100000000000000000'],
    ['12', '12'],
    ['0.000000000000000001', '0.000000000000000001'],
    [0, '0'],
  ])('keeps %s as %s', (given, text) => {
    expect(printMoney(toMoney(given)!)).toBe(text)
  })

  it.each([
    [-1],
    ['x'],
    ['1e'],
    ['e-6'],
    ['-1e-6'],
    ['1e18'],
    ['9'.repeat(19)],
    [1e21],
    [''],
    [Number.NaN],
    [null],
    [{}],
  ])('does not take %s for money', (given) => {
    expect(toMoney(given)).toBeUndefined()
  })
})
