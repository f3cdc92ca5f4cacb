import { expect, it } from 'vitest'
import { printMarkedCost } from './printed-cost.ts'
import { describeCost } from './reported-cost.ts'

it('names the reported part of a cost', () => {
  expect(describeCost({ total: '3', reported: '0.5' })).toBe('of it $0.50 reported by the client')
  expect(describeCost({ total: 0.1 + 0.2, reported: 0.3 })).toBe('reported by the client, not computed')
  expect(describeCost({ total: '3', reported: null })).toBeUndefined()
  expect(describeCost({ total: '3', reported: '0' })).toBeUndefined()
  expect(describeCost({ total: null, reported: null })).toBeUndefined()
})

it('names the calls whose fees a cost does not contain', () => {
  const fees = 'without fees of 2 calls, such as those of searches'
  expect(describeCost({ total: '3', reported: null, fees: 2 })).toBe(fees)
  expect(describeCost({ total: '3', reported: '0.5', fees: 2 })).toBe(`of it $0.50 reported by the client, ${fees}`)
  expect(describeCost({ total: null, reported: null, fees: 2 })).toBeUndefined()
  expect(printMarkedCost({ total: '3', reported: null, fees: 2 })).toBe(`≥ $3.00 (${fees})`)
})

it('is marked in files', () => {
  expect(printMarkedCost({ total: '3', reported: null })).toBe('$3.00')
  expect(printMarkedCost({ total: '3', reported: '0.5' })).toBe('$3.00 (of it $0.50 reported by the client)')
  expect(printMarkedCost({ total: '0.5', reported: '0.5' })).toBe('$0.50 (reported by the client, not computed)')
  expect(printMarkedCost({ total: null, reported: null })).toBe('-')
})
