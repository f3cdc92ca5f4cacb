import { describe, expect, it } from 'vitest'
import { isPrice, toPricePerMillion, toPricePerToken } from './prices.ts'

describe('prices', () => {
  it.each([
    ['2.5', '0.0000025'],
    ['15', '0.000015'],
    ['0.075', '0.000000075'],
    ['0', '0'],
    ['1000000', '1'],
    ['1234567.89', '1.23456789'],
    ['0.000000000001', '0.000000000000000001'],
  ])('of %s per million tokens are %s per token, and back', (million, token) => {
    expect(toPricePerToken(million)).toBe(token)
    expect(toPricePerMillion(token)).toBe(million)
  })

  it('drop zeros that say nothing', () => {
    expect([toPricePerToken('02.50'), toPricePerMillion('0.00000250')]).toEqual(['0.0000025', '2.5'])
  })

  it.each([
    ['2.5', true],
    ['', false],
    ['-1', false],
    ['1e3', false],
    ['1,5', false],
    ['.5', false],
  ])('are plain decimals: %j %s', (text, is) => {
    expect(isPrice(text)).toBe(is)
  })
})
