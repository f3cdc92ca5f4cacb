import type { Spending } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { findAmountProblem, toChange, toDraft } from './draft.ts'

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
  it('has the stored limits, without those of deleted providers, and no change', () => {
    const draft = toDraft(SPENDING)
    expect(draft).toEqual({ workspace: '50', providers: { p: '' }, unpricedCall: '0.01' })
    expect(toChange(SPENDING, draft)).toBeUndefined()
    expect(toChange(SPENDING, { ...draft, workspace: ' 50.0 ' })).toBeUndefined()
  })

  it('sends only what changed, and null for what was cleared', () => {
    const draft = { workspace: '', providers: { p: '0' }, unpricedCall: '1' }
    expect(toChange(SPENDING, draft)).toEqual({ workspace_usd: null, providers_usd: { p: 0 }, unpriced_call_usd: 1 })
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
