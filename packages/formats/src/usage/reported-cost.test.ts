import { expect, it } from 'vitest'
import { readReportedCost } from './reported-cost.ts'

const ownKey = (cost: unknown, upstream_inference_cost: unknown) => ({
  cost,
  is_byok: true,
  cost_details: { upstream_inference_cost },
})

it.each([
  [0.2, 0.1, '0.3'],
  [5e-7, '1e-05', '0.0000105'],
  ['0.000000000000000001', 1234, '1234.000000000000000001'],
  [null, 0.001, '0.001'],
  ['1e2', 3, '103'],
])('adds the fee %s to the cost %s of the provider exactly', (fee, upstream, sum) => {
  expect(readReportedCost(ownKey(fee, upstream))).toBe(sum)
})

it('is the fee alone without a cost of the provider', () => {
  expect(readReportedCost(ownKey(0.5, null))).toBe(0.5)
})
