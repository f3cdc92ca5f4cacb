import { describe, expect, it } from 'vitest'
import {
  getDefaultViewId,
  threadKeysText,
  validateThreadKeys,
  withDefaultView,
  withThreadKeys,
} from './project-extra.ts'

const both = { extra: { mine: 1, touchstone: { default_view: 'v', thread_keys: ['chat_id'] } } }

describe('what a project keeps for our pages', () => {
  it('is changed one by one', () => {
    expect(withDefaultView(both, 'w')).toEqual({ touchstone: { default_view: 'w', thread_keys: ['chat_id'] } })
    expect(withDefaultView(both, undefined)).toEqual({ touchstone: { thread_keys: ['chat_id'] } })
    expect(withThreadKeys(both, 'a, b')).toEqual({ touchstone: { default_view: 'v', thread_keys: ['a', 'b'] } })
  })

  it.each(['', ' , ', 'session_id, conversation_id,thread_id'])(
    'says nothing of threads that are as usual: %j',
    (text) => {
      expect(withThreadKeys(both, text)).toEqual({ touchstone: { default_view: 'v' } })
    },
  )

  it.each([{ extra: null }, { extra: { touchstone: 'odd' } }, { extra: { touchstone: { default_view: 7 } } }])(
    'is the usual where a program left nothing that means something: %j',
    (project) => {
      expect(getDefaultViewId(project)).toBeUndefined()
      expect(threadKeysText(project)).toBe('session_id, conversation_id, thread_id')
    },
  )

  it('takes up to ten keys, each once', () => {
    expect(validateThreadKeys('a b')).toBeUndefined()
    expect(validateThreadKeys('a, b, a')).toBe('Each key can be used only once.')
    expect(validateThreadKeys(Array.from({ length: 11 }, (_, at) => `k${at}`).join())).toBe('Use at most 10 keys.')
  })
})
