import { describe, expect, it } from 'vitest'
import {
  formatChange,
  formatHealthChanges,
  getDefaultViewId,
  getTextMode,
  type Health,
  threadKeysText,
  validateThreadKeys,
  withDefaultView,
  withTextMode,
  withThreadKeys,
  worsening,
} from './projects.ts'

const both = { extra: { mine: 1, touchstone: { default_view: 'v', thread_keys: ['chat_id'] } } }

describe('the UI settings of a project', () => {
  it('are changed one at a time', () => {
    expect(withDefaultView(both, 'w')).toEqual({ touchstone: { default_view: 'w', thread_keys: ['chat_id'] } })
    expect(withDefaultView(both, undefined)).toEqual({ touchstone: { thread_keys: ['chat_id'] } })
    expect(withTextMode(both, 'text').touchstone).toEqual({ ...both.extra.touchstone, message_text: 'text' })
    expect(withTextMode({ extra: withTextMode(both, 'text') }, 'markdown').touchstone).toEqual(both.extra.touchstone)
    expect(getTextMode({ extra: withTextMode(both, 'text') })).toBe('text')
    expect(withThreadKeys(both, 'a, b')).toEqual({ touchstone: { default_view: 'v', thread_keys: ['a', 'b'] } })
  })

  it.each(['', ' , ', 'session_id, conversation_id,thread_id'])('leave out the default thread keys: %j', (text) => {
    expect(withThreadKeys(both, text)).toEqual({ touchstone: { default_view: 'v' } })
  })

  it.each([
    { extra: null },
    { extra: { touchstone: 'odd' } },
    { extra: { touchstone: { default_view: 7, message_text: 'html' } } },
  ])('have their defaults when the stored value is not valid: %j', (project) => {
    expect(getDefaultViewId(project)).toBeUndefined()
    expect(getTextMode(project)).toBe('markdown')
    expect(threadKeysText(project)).toBe('session_id, conversation_id, thread_id')
  })

  it('accept up to ten distinct thread keys', () => {
    expect(validateThreadKeys('a b')).toBeUndefined()
    expect(validateThreadKeys('a, b, a')).toBe('Each key can be used only once.')
    expect(validateThreadKeys(Array.from({ length: 11 }, (_, at) => `k${at}`).join())).toBe('Use at most 10 keys.')
  })
})

const health = (runs: number, errorRate?: number, latencyP99?: number): Health => ({
  runs,
  errorRate,
  latencyP99,
  cost: undefined,
})

describe('how much worse a project got', () => {
  it.each([
    ['nothing, when all is as before', health(100, 0.01, 2), health(100, 0.01, 2), 0],
    ['nothing, when it got better', health(100, 0.01, 1), health(100, 0.2, 4), 0],
    ['by more errors', health(100, 0.06, 2), health(100, 0.01, 2), 0.5],
    ['by more latency', health(100, 0, 4), health(100, 0, 2), 1],
    ['a lot, when it fell silent', health(0), health(300, 0, 1), 5],
    ['not at all, when it hardly ever ran', health(1, 1, 9), health(2, 0, 1), 0],
    ['by its errors alone, when it is new', health(20, 0.5, 9), health(0), 5],
  ])('%s', (_, now, before, expected) => {
    expect(worsening(now, before)).toBeCloseTo(expected)
  })
})

describe('a change', () => {
  const print = (size: number) => size.toFixed(1)
  it('has a sign, no sign when it rounds to zero, and is undefined without both values', () => {
    expect(formatChange(3, 1, print)).toEqual({ text: '+2.0', direction: 'up' })
    expect(formatChange(1, 3, print)).toEqual({ text: '−2.0', direction: 'down' })
    expect(formatChange(1, 1.01, print)).toEqual({ text: '±0', direction: 'same' })
    expect(formatChange(1, undefined, print)).toBeUndefined()
  })
})

describe('the changes of a project', () => {
  it('have units', () => {
    const changes = formatHealthChanges({ ...health(30, 0.5, 2), cost: 0.5 }, { ...health(20, 0.05, 1), cost: 0.25 })
    expect(Object.values(changes).map((change) => change?.text)).toEqual(['+10', '+45 pp', '+1.00 s', '+$0.25'])
  })

  it('are none if nothing ran before', () => {
    const changes = formatHealthChanges({ ...health(30, 0.5, 2), cost: 0.5 }, { ...health(0), cost: 0 })
    expect(Object.values(changes)).toEqual([undefined, undefined, undefined, undefined])
  })
})
