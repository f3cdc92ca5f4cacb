import type { Spending } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { findAmountProblem, listChanged, toChange, toLabels, toTexts } from './draft.ts'

const counts = { calls: 1, unknown_calls: 0 }
const SPENDING: Spending = {
  month: '2026-11',
  resets_at: '2026-12-01T00:00:00Z',
  workspace: { limit_usd: 50, spent_usd: 12.4, ...counts },
  providers: [
    { provider_id: 'p', name: 'OpenAI', limit_usd: null, spent_usd: 12, ...counts },
    { provider_id: 'gone', name: null, limit_usd: 3, spent_usd: 0.4, ...counts },
  ],
  unpriced_call_usd: 0.01,
}

describe('a draft of limits', () => {
  const saved = { workspace: '50', p: '', 'unpriced call': '0.01' }

  it('has the stored limits, without those of deleted providers, and no change', () => {
    expect(toTexts(SPENDING)).toEqual(saved)
    expect(Object.keys(toLabels(SPENDING))).toEqual(Object.keys(saved))
    expect(listChanged(saved, saved)).toEqual([])
    expect(listChanged(saved, { ...saved, workspace: ' 50.0 ' })).toEqual([])
  })

  it('sends only what changed with what it is based on, and null for what was cleared', () => {
    expect(toChange(saved, { workspace: '', p: '0', 'unpriced call': '1' })).toEqual({
      workspace_usd: null,
      providers_usd: { p: 0 },
      unpriced_call_usd: 1,
      expected: { workspace_usd: 50, providers_usd: { p: null }, unpriced_call_usd: 0.01 },
    })
    expect(toChange(saved, { ...saved, p: '7' })).toEqual({
      providers_usd: { p: 7 },
      expected: { providers_usd: { p: null } },
    })
  })

  it.each([
    ['', 10, false, undefined],
    ['', 10, true, 'Enter an amount.'],
    ['0', 10, true, undefined],
    ['-1', 10, false, 'Enter an amount from 0 to 10.'],
    ['x', 10, false, 'Enter an amount from 0 to 10.'],
    ['11', 10, false, 'Enter an amount from 0 to 10.'],
  ])('checks an amount: %j', (text, max, isRequired, problem) => {
    expect(findAmountProblem(text, max, isRequired)).toBe(problem)
  })
})
