import { describe, expect, it } from 'vitest'
import { readResponseItems } from './conversation/openai.ts'
import {
  joinGeminiCalls,
  readConversation,
  readMessage,
  readMessages,
  readParts,
  toMessageKey,
  writeAnthropic,
  writeGemini,
  writeOpenaiChat,
} from './index.ts'
import { outline } from './testing/corpus.ts'

const nest = (levels: number, wrap: (inner: unknown) => unknown) => {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

describe('hostile content', () => {
  it.each([
    ['lists', nest(10_000, (inner) => [inner])],
    ['results of tools', nest(10_000, (inner) => ({ type: 'tool_result', content: [inner] }))],
    ['messages', nest(10_000, (inner) => ({ role: 'user', message: inner }))],
    ['a type that is no text', { type: 'tool_result', content: [{ type: { toString: 1 } }] }],
    [
      'a type that is a deep list',
      { type: 'tool_result', content: { type: nest(10_000, (inner) => [inner]), value: 1 } },
    ],
    ['names of the prototype', { type: '__proto__', constructor: 'x', name: '__proto__' }],
  ])('is read, whatever it is: %s', (_, value) => {
    readParts(value)
    readMessage({ role: 'user', content: value })
    readConversation({ messages: [{ role: 'user', content: value }] }, { output: value })
    readConversation({ messages: value }, { messages: value })
  })

  it('is compared as unlike when it is nested too deeply', () => {
    const message = { role: 'user', parts: readParts({ deep: nest(10_000, (inner) => [inner]) }) }
    expect(toMessageKey(message)).not.toBe(toMessageKey(message))
  })

  it('is no part of ours, although it has the members of one', () => {
    const call = { kind: 'tool_call', id: '1', function: { name: 'f', arguments: '{}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    expect(outline(readMessage(message)!)).toBe('assistant: call 1 f({})')
    expect(writeOpenaiChat(readMessage(message)!)).toHaveLength(1)
  })

  it('has arguments as text when they are nested too deeply to be printed', () => {
    const json = '['.repeat(10_000) + ']'.repeat(10_000)
    const [call] = readParts({ type: 'server_tool_use', name: 'x', input: json })
    expect(call).toMatchObject({ kind: 'tool_call', args: json })
  })

  it('has streamed arguments of any path', () => {
    const paths = [
      '$.__proto__.x',
      '$.constructor',
      '$[0]',
      "$['a b'][5][5]",
      '$',
      '',
      '$.a.b',
      `$${'.a'.repeat(400)}`,
      '$.a',
    ]
    const pieces = paths.map((jsonPath) => ({ jsonPath, stringValue: 'v' }))
    const [part] = joinGeminiCalls([
      { functionCall: { name: 'f', partialArgs: [...pieces, 1, null, { jsonPath: 7 }] } },
    ])
    expect(JSON.stringify(part)).toBe(
      '{"functionCall":{"name":"f","args":{"0":"v","__proto__":{"x":"v"},"constructor":"v","a b":[["v"]],"a":"v"}}}',
    )
    expect(({} as { x?: string }).x).toBeUndefined()
  })

  it('has each call of a stream in which some never end', () => {
    const piece = (key: string) => ({ partialArgs: [{ jsonPath: `$.${key}`, boolValue: true }], willContinue: true })
    const calls = [
      ...[{ name: 'f', willContinue: true }, piece('a')],
      ...[{ name: 'g', id: '1', ...piece('b') }, piece('c')],
      ...[
        { name: 'g', id: '2', args: { d: true } },
        { name: 'h', willContinue: true },
        { name: 'h', args: { e: true } },
      ],
    ]
    expect(joinGeminiCalls(calls.map((functionCall) => ({ functionCall })))).toEqual(
      [
        { name: 'f', args: { a: true } },
        { name: 'g', id: '1', args: { b: true, c: true } },
        { name: 'g', id: '2', args: { d: true } },
        { name: 'h', args: { e: true } },
      ].map((functionCall) => ({ functionCall })),
    )
  })

  it('has a call in many pieces', () => {
    const parts = Array.from({ length: 50_000 }, (_, at) => ({
      [`own${at}`]: 1,
      functionCall: { partialArgs: [{ jsonPath: `$.k${at}[9]`, numberValue: at }], willContinue: true },
    }))
    expect(joinGeminiCalls(parts)).toHaveLength(1)
  })

  it('of many messages of one role is written once each', () => {
    const parts = Array.from({ length: 10 }, (_, at) => ({ kind: 'text' as const, text: `part ${at}` }))
    const messages = Array.from({ length: 30_000 }, () => ({ role: 'user', parts }))
    const before = process.cpuUsage()
    const [anthropic, ...others] = writeAnthropic(messages).messages
    const [gemini] = writeGemini(messages).contents
    const { user, system } = process.cpuUsage(before)
    expect([anthropic?.content.length, gemini?.parts.length, others]).toEqual([300_000, 300_000, []])
    // A bound that only a growth with the square of the length exceeds.
    expect((user + system) / 1e6).toBeLessThan(20)
  })

  it('of many items is read once each', () => {
    const items = Array.from({ length: 50_000 }, (_, at) => ({ type: 'function_call', call_id: `${at}`, name: 'f' }))
    expect(readResponseItems(items)[0]?.parts).toHaveLength(50_000)
  })
})

describe('data of an application', () => {
  it.each([
    [{ type: 'user', data: { id: 7, email: 'a@b' } }],
    [{ status: 'ok', parts: [{ id: 1, quantity: 2 }] }],
    [{ parts: ['bolt', 'nut'], order: 17 }],
    [{ message: { role: 'admin', content: 'denied' }, code: 403 }],
    [{ role: 'user', message: { text: 'hi' } }],
    [{ role: 'buyer', items: [{ sku: 'a1', text: 7 }] }],
    [{ type: 'TextMessage', content: 'hi' }],
  ])('is no message: %j', (value) => {
    expect(readMessage(value)).toBeUndefined()
  })

  it.each([
    [{ document: { id: 'd1', title: 'T', body: 'long' } }],
    [{ image: 'https://x/y.png', caption: 'Q' }],
    [{ type: 'function', name: 'f', body: 'code' }],
    [{ type: 'phone_call', number: 1 }],
  ])('is shown as JSON: %j', (value) => {
    expect(readParts({ type: 'tool_result', content: value })).toMatchObject([{ parts: [{ kind: 'unknown', value }] }])
    expect(readParts(value)).toMatchObject([{ kind: 'unknown', value }])
  })

  it('is text where it is no base64', () => {
    expect(readParts({ type: 'document', title: 'T', content: 'Plain text, of it.' })).toMatchObject([
      { kind: 'media', media: { type: 'file', label: 'T', text: 'Plain text, of it.' } },
    ])
  })

  it('beside messages remains', () => {
    const message = { role: 'assistant', content: 'Hi' }
    expect(readConversation({}, { output: { message, documents: [1] } })).toBeUndefined()
    expect(readConversation({}, { model: 'm', message, done: true })?.rest.outputs?.otherFields).toEqual([
      'model',
      'done',
    ])
  })
})

describe('tools that a call offers', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const search = { type: 'function', function: { name: 'search', parameters: {} } }
  it.each([
    [{ tools: [search] }, ['search'], []],
    [{ tools: { search: { description: 'd' } } }, ['search'], []],
    [{ tools: [search], functions: [{ name: 'calc' }] }, ['search', 'calc'], []],
    [{ tools: null, functions: [] }, [], []],
    [{ tools: ['search', 'calc'] }, [], ['tools']],
    [{ tools: 'search, calc' }, [], ['tools']],
    [{ tools: [search, 'calc'] }, ['search'], ['tools']],
  ])('are shown, or remain: %j', (inputs, names, others) => {
    const read = readConversation({ messages, ...inputs }, {})
    expect(read?.tools.map(({ name }) => name)).toEqual(names)
    expect(read?.rest.inputs?.otherFields ?? []).toEqual(others)
  })
})

describe('contents for Gemini', () => {
  it('may have texts and parts beside them, each shown', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      'And now the question?',
      { text: 'With a part.' },
      { role: 'model', parts: [{ text: 'Yes.' }] },
      { text: 'Thanks.' },
    ]
    expect(readConversation({ contents }, {})?.input.map(outline)).toEqual([
      'user: Hi',
      'user: And now the question? | With a part.',
      'assistant: Yes.',
      'user: Thanks.',
    ])
  })

  it('are of the model in its response, also without a role', () => {
    const read = readConversation({}, { candidates: [{ content: { parts: [{ text: 'a' }] } }] })
    expect(read?.output.map(({ role }) => role)).toEqual(['assistant'])
  })
})

it('the same call in two forms is not shown again as an answer', () => {
  const asked = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '', tool_calls: [{ id: '1', function: { name: 'f', arguments: '{"a": 1}' } }] },
  ]
  const state = [
    { type: 'human', content: 'Hi' },
    { type: 'ai', content: '', tool_calls: [{ id: '1', name: 'f', args: { a: 1 } }] },
    { type: 'ai', content: 'Done' },
  ]
  expect(readConversation({ messages: asked }, { messages: state })?.output.map(outline)).toEqual(['assistant: Done'])
})

it('a result is written after its call', () => {
  const content = [
    { type: 'tool_use', id: 'c', name: 'f', input: {} },
    { type: 'tool_result', tool_use_id: 'c', content: 'ok' },
  ]
  const written = writeOpenaiChat(readMessage({ role: 'assistant', content })!)
  expect(written.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  expect(readMessages(written)).toHaveLength(2)
})
