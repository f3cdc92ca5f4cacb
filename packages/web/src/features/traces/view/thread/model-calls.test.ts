import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '#features/payloads/chat/conversation.ts'
import { buildTrace } from '../../model/build-trace.ts'
import { aTraceTree } from '../../model/testing.ts'
import { findRow, nameAt } from '../../model/trace.ts'
import { findSubAgents, selectNewMessages } from './model-calls.ts'

describe('the sub-agents of a run', () => {
  const trace = buildTrace(
    aTraceTree([
      { id: 'main agent' },
      { id: 'call', parent: 'main agent', run_type: 'llm' },
      { id: 'delegate', parent: 'main agent', run_type: 'tool' },
      { id: 'research agent', parent: 'delegate' },
      { id: 'step', parent: 'research agent' },
      { id: 'search agent', parent: 'step' },
      { id: 'deep call', parent: 'search agent', run_type: 'llm' },
    ]),
  )
  const listNames = (id: string) => findSubAgents(trace, findRow(trace, id) ?? -1).map((row) => nameAt(trace, row))

  it('are listed from the nearest, without the main agent', () => {
    expect(listNames('call')).toEqual([])
    expect(listNames('step')).toEqual(['research agent'])
    expect(listNames('deep call')).toEqual(['search agent', 'research agent'])
  })
})

const message = (role: string, text: string): ChatMessage => ({ role, parts: [{ kind: 'text', text }] })
const texts = (messages: readonly ChatMessage[]) =>
  messages.map(({ parts }) => (parts[0] as { kind: 'text'; text: string }).text)

describe('the new messages of model calls', () => {
  it('exclude inputs and outputs of earlier calls', () => {
    const calls = selectNewMessages([
      {
        call: 1,
        input: [message('system', 'Be kind.'), message('user', 'Hello')],
        output: [message('assistant', 'Hi!')],
      },
      {
        call: 2,
        input: [
          message('system', 'Be kind.'),
          message('user', 'Hello'),
          message('assistant', 'Hi!'),
          message('user', 'Help'),
        ],
        output: [message('assistant', 'Sure.')],
      },
    ])

    expect(calls.map(({ input, output }) => [texts(input), texts(output)])).toEqual([
      [['Be kind.', 'Hello'], ['Hi!']],
      [['Help'], ['Sure.']],
    ])
    expect(texts(calls[1]?.repeated ?? [])).toEqual(['Be kind.', 'Hello', 'Hi!'])
  })

  it('include a last message that occurred before', () => {
    const calls = selectNewMessages([
      { call: 1, input: [message('user', 'yes')], output: [] },
      { call: 2, input: [message('user', 'yes')], output: [] },
    ])

    expect(texts(calls[1]?.input ?? [])).toEqual(['yes'])
  })
})
