import { describe, expect, it } from 'vitest'
import { buildTrace } from '#lib/trace-model/build-trace.ts'
import { aTraceTree, type GivenRun } from '#lib/trace-model/testing.ts'
import { costDelta, feedbackDeltas, latencyDelta, tokensDelta } from './deltas.ts'

const aTrace = (run: Partial<GivenRun>) => buildTrace(aTraceTree([{ id: 'call', run_type: 'llm', ...run }]))
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

describe('what was thought of two runs', () => {
  const stat = (avg: number | null, values = {}) => ({ n: 1, avg, values })

  it('is better where the score rose, unless less of it is better', () => {
    const [one, other] = [
      { helpful: stat(0.5), toxicity: stat(0.5) },
      { helpful: stat(0.75), toxicity: stat(0.75) },
    ]
    const deltas = feedbackDeltas(one, other, new Set(['toxicity']))
    expect(deltas.map(({ key, delta }) => [key, delta.a, delta.b, delta.change, delta.verdict])).toEqual([
      ['helpful', '0.50', '0.75', '+0.25', 'better'],
      ['toxicity', '0.50', '0.75', '+0.25', 'worse'],
    ])
  })

  it('is told by its values where there are no scores, and is unknown where nobody said', () => {
    const [tone] = feedbackDeltas({ tone: stat(null, { kind: 1, rude: 3 }) }, null, new Set())
    expect(tone!.delta).toMatchObject({ a: 'rude', b: '-', change: '' })
    expect(feedbackDeltas(null, undefined, new Set())).toEqual([])
  })
})
