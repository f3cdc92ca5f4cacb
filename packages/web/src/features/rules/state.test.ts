import type { RuleDecision } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeAction, describeDecision, describeLook, describeState, isRuleState } from './state.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const at = (seconds: number) => new Date(now - seconds * 1000).toISOString()

describe('the state of a rule', () => {
  const rule = { is_enabled: true, blocked: null }

  it('is on, paused, or blocked with its reason', () => {
    expect(describeState(rule)).toEqual({ text: 'On', tone: 'ok' })
    const blocked = { reason: 'provider_key_refused' as const, message: '', since: at(60) }
    expect(describeState({ ...rule, blocked }).text).toBe('Blocked: the provider refuses its key')
    expect(describeState({ ...rule, blocked, is_enabled: false }).text).toBe('Paused')
  })

  it('tells when it last looked', () => {
    expect([null, at(3), at(600), at(7_200 * 3)].map((time) => describeLook(time, now))).toEqual([
      ...['not yet', '3 s ago', '10 min ago', '6 h ago'],
    ])
  })

  it('knows the states of decisions', () => {
    expect(['failed', 'toString', undefined].map((text) => isRuleState(text))).toEqual([true, false, false])
  })
})

describe('an action', () => {
  it('is described by what it names', () => {
    const nameOf = (_kind: string, id: string) => (id === 'known' ? 'Right answer' : undefined)
    expect(describeAction({ kind: 'evaluate', evaluator_id: 'known' }, nameOf)).toBe('Right answer')
    expect(describeAction({ kind: 'add_to_queue', queue_id: '0123456789' }, nameOf)).toBe('01234567')
    expect(describeAction({ kind: 'feedback', key: 'seen', score: 1 }, nameOf)).toBe('seen = 1')
    expect(describeAction({ kind: 'tag', tags: ['a', 'b'] }, nameOf)).toBe('a, b')
  })
})

describe('a decision', () => {
  const decision = { state: 'done', detail: '', outcomes: [], sample_value: 0.41271, sampling_rate: 0.1 }
  const describeIt = (part: object) => describeDecision({ ...decision, ...part } as unknown as RuleDecision)

  it('tells why it was sampled out, what it waits for, and what was done', () => {
    expect(describeIt({ state: 'sampled_out' })).toBe('Not in the sample: 0.4127 ≥ 0.1')
    expect(describeIt({ state: 'waiting', detail: 'the trace is not quiet yet' })).toBe('the trace is not quiet yet')
    const outcomes = [{ kind: 'tag', state: 'done', detail: 'a', cost: null }]
    expect(describeIt({ outcomes })).toBe('tag: a')
    expect(describeIt({ state: 'running' })).toBe('Running')
  })
})
