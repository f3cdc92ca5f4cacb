import { expect, it } from 'vitest'
import { describeReportedCost, printMarkedCost } from './reported-cost.ts'

it('names the reported part of a cost', () => {
  expect(describeReportedCost({ total: '3', reported: '0.5' })).toBe('of it $0.50 reported by the client')
  expect(describeReportedCost({ total: 0.1 + 0.2, reported: 0.3 })).toBe('reported by the client, not computed')
  expect(describeReportedCost({ total: '3', reported: null })).toBeUndefined()
  expect(describeReportedCost({ total: '3', reported: '0' })).toBeUndefined()
  expect(describeReportedCost({ total: null, reported: null })).toBeUndefined()
})

it('is marked in files', () => {
  expect(printMarkedCost({ total: '3', reported: null })).toBe('$3.00')
  expect(printMarkedCost({ total: '3', reported: '0.5' })).toBe('$3.00 (of it $0.50 reported by the client)')
  expect(printMarkedCost({ total: '0.5', reported: '0.5' })).toBe('$0.50 (reported by the client, not computed)')
  expect(printMarkedCost({ total: null, reported: null })).toBe('-')
})
