import type { EvaluatorDefinition } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeKappa, formatPercent } from './agreement.ts'
import { listDefinitionDiffs } from './diff.ts'

describe('the agreement of an evaluator with people', () => {
  it.each([
    [{ value: 0.1, interval: { low: -0.2, high: 0.4 } }, 'Little more than by chance; 95 % interval -0.20 to 0.40'],
    [{ value: 0.5, interval: { low: 0.3, high: 0.7 } }, 'Moderate; 95 % interval 0.30 to 0.70'],
    [{ value: 0.9, interval: null }, 'Good; too few rows for an interval'],
    [null, 'Unknown: people or the evaluator gave a single label to all rows.'],
  ])('%j is described as %s', (kappa, words) => {
    expect(describeKappa(kappa)).toBe(words)
  })

  it('has shares in percent', () => {
    expect([1, 0.925, 0].map(formatPercent)).toEqual(['100 %', '92.5 %', '0 %'])
  })
})

describe('the differences of two versions', () => {
  const judge: EvaluatorDefinition = {
    kind: 'llm_judge',
    provider_id: 'p',
    model: 'm',
    messages: [{ role: 'user', content: 'Judge {{outputs}}' }],
    mapping: {},
    feedback: [{ key: 'right', type: 'boolean' }],
  }
  const titles = (a: EvaluatorDefinition, b: EvaluatorDefinition) => listDefinitionDiffs(a, b).map(({ title }) => title)

  it('are listed by part', () => {
    expect(titles(judge, judge)).toEqual([])
    const messages: typeof judge.messages = [{ role: 'user', content: 'Judge strictly {{outputs}}' }]
    expect(titles(judge, { ...judge, messages, model: 'n' })).toEqual(['Messages', 'Model and settings'])
    expect(titles(judge, { ...judge, mapping: { q: 'inputs.q' }, feedback: [] })).toEqual(['Variables', 'Feedback'])
    const script: EvaluatorDefinition = { kind: 'javascript', source: 'a', keys: [] }
    expect(titles(script, { ...script, source: 'b', keys: ['k'] })).toEqual(['Source', 'Settings'])
    expect(titles(script, judge)).toEqual(['Definition'])
  })
})
