import { indentJson } from '@touchstone/formats/locate-json'
import { describe, expect, it } from 'vitest'
import { type Chat, moveElement, printChat, readChat, setField, setRole, startMessage } from './chat-messages.ts'

const PLAIN =
  '[{"role":"user","content":"Hi","seed":12345678901234567890},{"content":null,"role":"assistant","tool_calls":[{"id":"1"}]}]'
const LANGCHAIN = '[{"type":"human","content":"Hi","id":"a"},{"type":"ai","content":[{"type":"text","text":"Yo"}]}]'
const STORED = '[{"type":"human","data":{"content":"Hi","name":"Ada"}}]'

function read(json: string): Chat {
  const chat = readChat(json)
  if (chat === undefined) throw new Error(`not a chat: ${json}`)
  return chat
}

/** The chat after a change of one of its messages, as compact JSON with its digits. */
function change(json: string, at: number, to: (message: Chat['messages'][number]) => string): string {
  const chat = read(json)
  const texts = chat.messages.map((message, index) => (index === at ? to(message) : message.json))
  return printChat(chat, texts).replaceAll(/\n\s*/g, '').replaceAll('": ', '":')
}

describe('messages of an example', () => {
  it.each([
    ['role and content', PLAIN, ['user', 'assistant'], [['seed'], ['tool_calls']]],
    ['LangChain', LANGCHAIN, ['human', 'ai'], [['id'], []]],
    ['stored LangChain', STORED, ['human'], [['name']]],
  ])('are read as %s, and written back unchanged', (_, json, roles, others) => {
    const chat = read(json)
    expect(chat.messages.map(({ role }) => role)).toEqual(roles)
    expect(chat.messages.map((message) => message.others)).toEqual(others)
    expect(
      printChat(
        chat,
        chat.messages.map((message) => message.json),
      ),
    ).toBe(indentJson(json))
  })

  it.each(['[]', '[1]', '{"a": 1}', '[{"role": "user"}]', '[{"role":"user","content":"x"}, "y"]', '[', '"text"'])(
    'are not %s',
    (json) => expect(readChat(json)).toBeUndefined(),
  )

  it('are an empty list by its name, and one message alone', () => {
    expect(readChat('[]', 'messages')).toEqual({ isList: true, messages: [] })
    const one = read('{"role": "assistant", "content": "x"}')
    expect(one.isList).toBe(false)
    expect(printChat(one, [setField(one.messages[0]!, 'content', '"y"')])).toBe(
      indentJson('{"role":"assistant","content":"y"}'),
    )
  })

  it('change one value and nothing else', () => {
    expect(change(PLAIN, 1, (message) => setRole(message, 'user'))).toBe(PLAIN.replace('assistant', 'user'))
    expect(change(PLAIN, 0, (message) => setField(message, 'content', '"Bye"'))).toBe(PLAIN.replace('Hi', 'Bye'))
    const withoutRole = LANGCHAIN.replace('{"type"', '{"role":null,"type"')
    expect(change(withoutRole, 0, (message) => setRole(message, 'ai'))).toBe(withoutRole.replace('human', 'ai'))
    expect(change(LANGCHAIN, 0, (message) => setRole(message, 'system'))).toBe(LANGCHAIN.replace('human', 'system'))
    expect(change(STORED, 0, (message) => setField(message, 'content', '"Bye"'))).toBe(STORED.replace('Hi', 'Bye'))
    expect(change(STORED, 0, (message) => setField(message, 'name', '"Bob"'))).toBe(STORED.replace('Ada', 'Bob'))
  })

  it('offer an unknown role of a message beside the known ones', () => {
    expect(read('[{"role":"critic","content":"x"}]').messages[0]?.roles).toContain('critic')
    expect(readChat('[{"type":"__proto__","content":"x"}]')).toBeUndefined()
  })

  it.each([
    [PLAIN, '{"role": "user", "content": ""}'],
    ['[{"role":"user","content":"x"}]', '{"role": "assistant", "content": ""}'],
    [LANGCHAIN, '{"type": "human", "content": ""}'],
    [STORED, '{"type": "ai", "data": {"content": ""}}'],
    ['[{"role":null,"type":"human","content":"x"}]', '{"type": "ai", "content": ""}'],
  ])('start in the format and the turn of the conversation %#', (json, expected) => {
    expect(startMessage(read(json))).toBe(expected)
    expect(readChat(`[${expected}]`)).toBeDefined()
  })

  it('move within the list', () => {
    expect(moveElement(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
    expect(moveElement(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
    expect(moveElement(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
    expect(moveElement(['a', 'b'], 1, 1)).toEqual(['a', 'b'])
  })
})
