import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '#domain/chat-view/conversation.ts'
import { tellOnce } from './new-messages.ts'

const said = (role: string, text: string): ChatMessage => ({ role, parts: [{ kind: 'text', text }] })
const texts = (messages: readonly ChatMessage[]) =>
  messages.map(({ parts }) => (parts[0] as { kind: 'text'; text: string }).text)

describe('telling a conversation once', () => {
  it('leaves out what an earlier call was told or had answered', () => {
    const told = tellOnce([
      { call: 1, input: [said('system', 'Be kind.'), said('user', 'Hello')], output: [said('assistant', 'Hi!')] },
      {
        call: 2,
        input: [said('system', 'Be kind.'), said('user', 'Hello'), said('assistant', 'Hi!'), said('user', 'Help')],
        output: [said('assistant', 'Sure.')],
      },
    ])

    expect(told.map(({ input, output }) => [texts(input), texts(output)])).toEqual([
      [['Be kind.', 'Hello'], ['Hi!']],
      [['Help'], ['Sure.']],
    ])
    expect(texts(told[1]!.repeated)).toEqual(['Be kind.', 'Hello', 'Hi!'])
  })

  it('keeps a last message that was said before', () => {
    const told = tellOnce([
      { call: 1, input: [said('user', 'yes')], output: [] },
      { call: 2, input: [said('user', 'yes')], output: [] },
    ])

    expect(texts(told[1]!.input)).toEqual(['yes'])
  })
})
