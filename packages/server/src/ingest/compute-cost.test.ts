import { describe, expect, it } from 'vitest'
import { computeCost } from './compute-cost.ts'
import { printMoney } from './money.ts'
import { readUsage } from './usage.ts'

const METADATA = { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } }

describe('pricing usage', () => {
  const price = {
    id: 'p',
    prompt_cost: '0.000002',
    completion_cost: '0.000003',
    prompt_cost_details: { cache_read: '0.000001' },
    completion_cost_details: null,
  }
  const printed = (usage: object) => {
    const { prompt, completion, total } = computeCost(readUsage({}, { usage_metadata: usage })!, price)
    return [prompt, completion, total].map((amount) => (amount === undefined ? null : printMoney(amount)))
  }

  it('prices each class of tokens separately and none twice', () => {
    expect(printed(METADATA)).toEqual(['0.000035', '0.00003', '0.000065'])
  })

  it('prefers costs that the run reported', () => {
    expect(printed({ ...METADATA, input_cost: 0.1, output_cost: 0.2 })).toEqual(['0.1', '0.2', '0.3'])
    expect(printed({ total_cost: 0.5 })).toEqual([null, null, '0.5'])
    expect(printed({ input_cost_details: { text: 0.1, audio: '0.2' } })).toEqual(['0.3', null, '0.3'])
  })

  it('computes no cost without a price', () => {
    expect(computeCost(readUsage({}, { usage_metadata: METADATA })!, undefined).total).toBeUndefined()
  })
})
