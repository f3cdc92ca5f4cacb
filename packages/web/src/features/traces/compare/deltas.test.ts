import { describe, expect, it } from 'vitest'
import { buildTrace } from '../model/build-trace.ts'
import { aTraceTree, type GivenRun } from '../model/testing.ts'
import { compareCost, compareFeedback, compareLatency, compareTokens } from './deltas.ts'

const aTrace = (run: Partial<GivenRun>) => buildTrace(aTraceTree([{ id: 'call', run_type: 'llm', ...run }]))
const usage = (prompt_tokens: number, total_cost: string | null) => ({
  prompt_tokens,
  total_tokens: prompt_tokens,
  total_cost,
})
const fast = aTrace({ at: [0, 3_420], ...usage(1_200, '0.0041') })
const slow = aTrace({ at: [0, 9_810], ...usage(1_000, null) })

describe('the figures of two runs', () => {
  it('differ by a signed change with a verdict', () => {
    expect(compareLatency(fast, 0, slow, 0)).toEqual({ a: '3.42 s', b: '9.81 s', change: '+6.39 s', verdict: 'worse' })
    expect(compareTokens(fast, 0, slow, 0)).toMatchObject({ a: '1,200', b: '1,000', change: '-200', verdict: 'better' })
    expect(compareLatency(fast, 0, fast, 0)).toMatchObject({ change: '', verdict: 'same' })
  })

  it('have no change if one side is missing, running, or without a price', () => {
    expect(compareLatency(fast, 0, slow, -1)).toMatchObject({ a: '3.42 s', b: '-', change: '', verdict: 'same' })
    expect(compareLatency(fast, 0, aTrace({ at: [0] }), 0)).toMatchObject({ b: '-', change: '' })
    expect(compareCost(fast, 0, slow, 0)).toMatchObject({ a: '$0.0041', b: '-', change: '' })
  })
})

describe('the feedback of two runs', () => {
  const stat = (avg: number | null, values = {}) => ({ n: 1, avg, values })

  it('is better with a higher score, unless a lower score is better', () => {
    const [one, other] = [
      { helpful: stat(0.5), toxicity: stat(0.5) },
      { helpful: stat(0.75), toxicity: stat(0.75) },
    ]
    const deltas = compareFeedback(one, other, new Set(['toxicity']))
    expect(deltas.map(({ key, delta }) => [key, delta.a, delta.b, delta.change, delta.verdict])).toEqual([
      ['helpful', '0.50', '0.75', '+0.25', 'better'],
      ['toxicity', '0.50', '0.75', '+0.25', 'worse'],
    ])
  })

  it('shows the most frequent value of a key without scores', () => {
    const [tone] = compareFeedback({ tone: stat(null, { kind: 1, rude: 3 }) }, null, new Set())
    expect(tone?.delta).toMatchObject({ a: 'rude', b: '-', change: '' })
    expect(compareFeedback(null, undefined, new Set())).toEqual([])
  })
})
