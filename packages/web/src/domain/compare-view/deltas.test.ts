import { describe, expect, it } from 'vitest'
import { buildTrace } from '#lib/trace-model/build-trace.ts'
import { aSpine, type GivenRun } from '#lib/trace-model/testing.ts'
import { costDelta, latencyDelta, tokensDelta } from './deltas.ts'

const aTrace = (run: Partial<GivenRun>) => buildTrace(aSpine([{ id: 'call', run_type: 'llm', ...run }]))
const usage = (prompt_tokens: number, total_cost: string | null) => ({
  prompt_tokens,
  total_tokens: prompt_tokens,
  total_cost,
})
const fast = aTrace({ at: [0, 3_420], ...usage(1_200, '0.0041') })
const slow = aTrace({ at: [0, 9_810], ...usage(1_000, null) })

describe('what a step took more or less', () => {
  it('has a sign and a verdict', () => {
    expect(latencyDelta(fast, 0, slow, 0)).toEqual({ a: '3.42 s', b: '9.81 s', change: '+6.39 s', verdict: 'worse' })
    expect(tokensDelta(fast, 0, slow, 0)).toMatchObject({ a: '1,200', b: '1,000', change: '-200', verdict: 'better' })
    expect(latencyDelta(fast, 0, fast, 0)).toMatchObject({ change: '', verdict: 'same' })
  })

  it('is unknown where one side is not there, running, or without a price', () => {
    expect(latencyDelta(fast, 0, slow, -1)).toMatchObject({ a: '3.42 s', b: '-', change: '', verdict: 'same' })
    expect(latencyDelta(fast, 0, aTrace({ at: [0] }), 0)).toMatchObject({ b: '-', change: '' })
    expect(costDelta(fast, 0, slow, 0)).toMatchObject({ a: '$0.0041', b: '-', change: '' })
  })
})
