import type { Run } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { readTurn } from './read-turn.ts'
import { printThread } from './thread-markdown.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search_kb', arguments: '{"query":"reset"}' } }],
}
const result = { role: 'tool', tool_call_id: 'c1', content: 'two documents' }

const first = { inputs: { messages: [user('Hello')] }, outputs: { messages: [assistant('Hi')] } }
const second = {
  inputs: { messages: [user('Hello'), assistant('Hi'), user('Reset my password')] },
  outputs: { messages: [call, result, assistant('Open Settings')] },
}

describe('reading a turn', () => {
  it('groups repeated messages, and pairs tool calls with their results', () => {
    const items = readTurn(second, first) ?? []
    expect(items.map(({ kind }) => kind)).toEqual(['repeated', 'message', 'call', 'message'])
    expect(items[0]).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }] })
    expect(items[1]).toMatchObject({ message: { role: 'user' }, isAnswer: false })
    expect(items[2]).toMatchObject({ call: { name: 'search_kb', result: { parts: [{ text: 'two documents' }] } } })
    expect(items[3]).toMatchObject({ message: { role: 'assistant' }, isAnswer: true })
  })

  it('reads plain questions and answers, and returns undefined without messages', () => {
    const items = readTurn({ inputs: { question: 'Why?' }, outputs: { answer: 'Because.' } }, first)
    expect(items?.map(({ kind }) => kind)).toEqual(['message', 'message'])
    expect(readTurn({ inputs: { x: 1 }, outputs: { y: 2 } }, undefined)).toBeUndefined()
  })

  it('shows a side without messages as JSON', () => {
    const items = readTurn({ inputs: { x: 1 }, outputs: { answer: 'Because.' } }, undefined)
    expect(items).toMatchObject([
      { message: { role: 'user', parts: [{ kind: 'unknown', value: { x: 1 } }] }, isAnswer: false },
      { message: { role: 'assistant', parts: [{ text: 'Because.' }] }, isAnswer: true },
    ])
  })
})

describe('a conversation as Markdown', () => {
  const turn = (more: Partial<Run>) =>
    ({
      start_time: '2026-08-21T14:03:22.118000Z',
      end_time: '2026-08-21T14:03:24.218000Z',
      status: 'success',
      ...more,
    }) as Run

  it('has a heading with figures per turn, its new messages, and one line per tool call', () => {
    const text = printThread('conv', [
      { turn: turn({}), content: first },
      {
        turn: turn({ total_tokens: 1512, prompt_tokens: 1200, completion_tokens: 312, total_cost: '0.004' }),
        content: second,
      },
    ])
    expect(text.split('\n\n')).toEqual([
      '# Thread conv',
      expect.stringMatching(/^## Turn 1 · .* · 2.10 s$/),
      '**user**',
      'Hello',
      '**assistant**',
      'Hi',
      expect.stringMatching(/^## Turn 2 · .* · 2.10 s · 1.2k → 312 tokens · \$0.004$/),
      '**user**',
      'Reset my password',
      '> tool `search_kb` {"query":"reset"}\n> → two documents',
      '**assistant**',
      'Open Settings\n',
    ])
  })

  it('prints the error of a failed turn, and the previews of a turn without content', () => {
    const text = printThread('conv', [
      { turn: turn({ inputs_preview: 'a long one', error_preview: 'RateLimitError' }), content: undefined },
    ])
    expect(text).toContain('**input**\n\na long one')
    const derived = turn({ inputs_preview: 'asked', derived_payloads: { inputs: 'first', outputs: null } })
    expect(printThread('conv', [{ turn: derived, content: undefined }])).toContain(
      '**input of its first model call, this run recorded none**\n\nasked',
    )
    expect(text).toContain('**Failed:** RateLimitError')
  })
})
