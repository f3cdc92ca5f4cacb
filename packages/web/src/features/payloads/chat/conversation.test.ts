import { readConversation } from '@touchstone/formats/messages'
import { describe, expect, it } from 'vitest'
import { type ChatMessage, type ChatPart, findAttachedMedia } from './conversation.ts'
import { pairToolCalls } from './tool-calls.ts'

/** A conversation in one line per message. */
const drawn = (messages: readonly ChatMessage[]) =>
  messages.map(({ role, parts }) => `${role}: ${parts.map(drawPart).join(' | ')}`)

function drawPart(part: ChatPart): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'tool_call':
      return `call ${part.name}(${JSON.stringify(part.args)})${part.result ? ` = ${part.result.parts.map(drawPart).join()}` : ''}`
    case 'tool_result':
      return `result ${part.id ?? part.name ?? ''} ${part.parts.map(drawPart).join()}`
    case 'media':
      return `${part.media.type} ${part.media.url ?? part.media.label}`
    case 'unknown':
      return JSON.stringify(part.value)
    case 'code':
      return `code ${part.code}`
    case 'sources':
      return `sources ${part.sources.map(({ url }) => url).join()}`
    default:
      return `${part.kind} ${part.text}`
  }
}

const cases = [
  {
    shape: 'OpenAI chat with tools and an image',
    adapter: 'openai-chat',
    inputs: {
      model: 'gpt-4.1',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
      ],
      tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } }],
    },
    outputs: {
      id: 'chatcmpl-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'A cat.', refusal: null }, finish_reason: 'stop' }],
    },
    input: [
      'developer: Be brief.',
      'user: What is it? | image https://x/y.png',
      'assistant: call look({"at":1}) = a cat',
    ],
    output: ['assistant: A cat.'],
  },
  {
    shape: 'OpenAI chat with reasoning, a refusal and the old function call',
    adapter: 'openai-chat',
    inputs: {
      messages: [
        { role: 'user', content: 'Do it' },
        { role: 'assistant', content: '', function_call: { name: 'f', arguments: 'not json' } },
        { role: 'function', name: 'f', content: '3' },
      ],
    },
    outputs: { choices: [{ message: { role: 'assistant', reasoning_content: 'Hm.', content: null, refusal: 'No.' } }] },
    input: ['user: Do it', 'assistant: call f("not json") = 3'],
    output: ['assistant: reasoning Hm. | refusal No.'],
  },
  {
    shape: 'OpenAI responses',
    adapter: 'openai-responses',
    inputs: {
      instructions: 'Be kind.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: '{"c":3}' },
      ],
    },
    outputs: {
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'It is cold.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '3 degrees.', annotations: [] }] },
      ],
    },
    input: ['system: Be kind.', 'user: Weather?', 'assistant: call weather({"city":"Oslo"}) = {"c":3}'],
    output: ['assistant: reasoning It is cold. | 3 degrees.'],
  },
  {
    shape: 'Anthropic with thinking and tools',
    adapter: 'anthropic',
    inputs: {
      system: [{ type: 'text', text: 'You help.' }],
      messages: [
        { role: 'user', content: 'Order 88?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look it up.', signature: 's' },
            { type: 'tool_use', id: 't1', name: 'lookup', input: { id: 88 } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'shipped' }] }],
        },
      ],
      tools: [{ name: 'lookup', input_schema: { type: 'object' } }],
    },
    outputs: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'It shipped.' }],
      stop_reason: 'end_turn',
    },
    input: [
      'system: You help.',
      'user: Order 88?',
      'assistant: reasoning Look it up. | call lookup({"id":88}) = shipped',
    ],
    output: ['assistant: It shipped.'],
  },
  {
    shape: 'Gemini',
    adapter: 'gemini',
    inputs: {
      systemInstruction: { parts: [{ text: 'Short.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { ok: true } } }] },
      ],
      config: { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    },
    outputs: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'thinking…', thought: true }, { text: 'Done' }] } }],
    },
    input: [
      'system: Short.',
      'user: Hi | image data:image/png;base64,AAAA',
      'assistant: call f({"a":1}) = {"ok":true}',
    ],
    output: ['assistant: reasoning thinking… | Done'],
  },
  {
    shape: 'LangChain serialized messages',
    adapter: 'langchain',
    inputs: {
      messages: [
        [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain_core', 'messages', 'SystemMessage'],
            kwargs: { content: 'Sys' },
          },
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'schema', 'messages', 'HumanMessage'],
            kwargs: { content: 'Hi', additional_kwargs: {} },
          },
        ],
      ],
    },
    outputs: {
      generations: [
        [
          {
            text: '',
            message: {
              lc: 1,
              type: 'constructor',
              id: ['langchain_core', 'messages', 'AIMessageChunk'],
              kwargs: {
                content: [
                  { type: 'text', text: 'Calling.' },
                  { type: 'tool_use', id: 't', name: 'f', input: {} },
                ],
                tool_calls: [{ name: 'f', args: {}, id: 't', type: 'tool_call' }],
              },
            },
          },
        ],
      ],
      llm_output: null,
    },
    input: ['system: Sys', 'user: Hi'],
    output: ['assistant: Calling. | call f({})'],
  },
  {
    shape: 'LangChain messages as dumped by a graph',
    adapter: 'langchain',
    inputs: {
      messages: [
        { type: 'human', content: 'Hi' },
        { type: 'ai', content: '', tool_calls: [{ name: 'f', args: { x: 1 }, id: '1' }] },
      ],
    },
    outputs: {
      messages: [
        { type: 'tool', content: 'ok', tool_call_id: '1', status: 'error' },
        { type: 'ai', content: 'Bye' },
      ],
    },
    input: ['user: Hi', 'assistant: call f({"x":1}) = ok'],
    output: ['assistant: Bye'],
  },
  {
    shape: 'a completion',
    adapter: 'langchain',
    inputs: { prompts: ['Once upon'] },
    outputs: { generations: [[{ text: ' a time' }]] },
    input: ['user: Once upon'],
    output: ['assistant:  a time'],
  },
  {
    shape: 'plain role and content',
    adapter: 'openai-chat',
    inputs: { messages: [{ role: 'user', content: 'Hi' }] },
    outputs: { role: 'assistant', content: 'Hello' },
    input: ['user: Hi'],
    output: ['assistant: Hello'],
  },
  {
    shape: 'a question and an answer',
    adapter: 'generic',
    inputs: { question: 'Why?', context: { a: 1 } },
    outputs: { answer: 'Because.' },
    input: ['user: Why?'],
    output: ['assistant: Because.'],
  },
  {
    shape: 'an unknown block',
    adapter: 'openai-chat',
    inputs: { messages: [{ role: 'user', content: [{ type: 'hologram', bits: 3 }] }] },
    outputs: null,
    input: ['user: {"type":"hologram","bits":3}'],
    output: [],
  },
  {
    shape: 'OpenAI responses with two rounds of reasoning and calls',
    adapter: 'openai-responses',
    inputs: { model: 'gpt-5', input: [{ role: 'user', content: 'Weather?' }] },
    outputs: {
      output: [
        { type: 'reasoning', summary: [] },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'time', arguments: '{}' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Done.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'At noon.' }] },
      ],
    },
    input: ['user: Weather?'],
    output: [
      'assistant: call weather({}) | call time({})',
      'assistant: reasoning Done. | Rain.',
      'assistant: At noon.',
    ],
  },
]

describe('reading a run as a conversation', () => {
  it.each(cases)('reads $shape', ({ inputs, outputs, adapter, input, output }) => {
    const conversation = readConversation(inputs, outputs)!
    const paired = pairToolCalls([...conversation.input, ...conversation.output])
    expect(drawn(paired)).toEqual([...input, ...output])
    expect(conversation.format.id).toBe(adapter)
  })

  it.each([
    [{}, {}],
    [null, null],
    [{ embeddings: [1, 2] }, { vectors: [[1]] }],
    [{ messages: [] }, {}],
    [{ messages: [{ foo: 1 }] }, { output: 3 }],
    [[1], 'text'],
    [{ step: 'one' }, { state: 'done' }],
  ])('finds none in %j and %j', (inputs, outputs) => expect(readConversation(inputs, outputs)).toBeUndefined())

  it.each([
    ['the Python snippet', { name: 'Touchstone' }, { output: 'Hello, Touchstone!' }],
    ['the TypeScript snippet', { input: 'Touchstone' }, { outputs: 'Hello, Touchstone!' }],
    ['a program with another result', { question: 'Touchstone' }, { greeting: 'Hello, Touchstone!' }],
  ])('reads both sides of %s', (_, inputs, outputs) => {
    const { input, output, rest } = readConversation(inputs, outputs)!
    expect([...drawn(input), ...drawn(output)]).toEqual(['user: Touchstone', 'assistant: Hello, Touchstone!'])
    expect(rest).toEqual({ inputs: undefined, outputs: undefined })
  })

  const whole = (...otherFields: string[]) => ({ isWhole: true, readFields: [], otherFields })
  const some = (readFields: string[], ...otherFields: string[]) => ({ isWhole: false, readFields, otherFields })
  it.each([
    ['a number', { question: 'How many?' }, { output: 3 }, [undefined, whole('output')]],
    ['a list', { input: [1, 2] }, { output: 'three' }, [whole('input'), undefined]],
    ['an empty object', {}, { output: 'done' }, [whole(), undefined]],
    ['null', { text: 'x' }, { output: null }, [undefined, whole('output')]],
    ['nothing', { text: 'x' }, null, [undefined, undefined]],
    ['other arguments', { a: 'x', b: 2 }, { answer: 'y' }, [whole('a', 'b'), undefined]],
    ['fields beside a text', { text: 'x' }, { answer: 'y', score: 1 }, [undefined, some(['answer'], 'score')]],
    [
      'fields beside messages',
      { messages: [{ role: 'user', content: 'x' }], tools: [], model: 'm' },
      { choices: [{ message: { content: 'y' } }], id: 'z' },
      [some(['messages', 'tools', 'functions'], 'model'), some(['choices'], 'id')],
    ],
  ])('leaves %s to be shown as JSON', (_, inputs, outputs, expected) => {
    const { rest } = readConversation(inputs, outputs)!
    expect([rest.inputs, rest.outputs]).toEqual(expected)
  })

  it('shows what an output state repeats of the input once', () => {
    const hi = { role: 'user', content: 'Hi' }
    const { output } = readConversation(
      { messages: [hi] },
      { messages: [hi, { role: 'assistant', content: 'Hello' }] },
    )!
    expect(drawn(output)).toEqual(['assistant: Hello'])
  })

  it('lists the tools that were offered, in every dialect', () => {
    const tools = (index: number) => readConversation(cases[index]!.inputs, null)!.tools.map(({ name }) => name)
    expect([tools(0), tools(3), tools(4)]).toEqual([['look'], ['lookup'], ['f']])
  })

  it.each(['__proto__', 'constructor', 'toString'])('takes the role %s for a word', (role) => {
    const { input } = readConversation({ messages: [{ role, content: 'Hi' }] }, null)!
    expect(drawn(input)).toEqual([`${role}: Hi`])
    expect(readConversation({ messages: [[role, 'Hi']] }, null)).toBeUndefined()
  })

  it('uses a given adapter', () => {
    expect(readConversation(cases[3]!.inputs, cases[3]!.outputs, 'openai-chat')!.format.id).toBe('openai-chat')
  })

  it('leaves an answer without its call where it is', () => {
    expect(
      drawn(
        pairToolCalls([
          { role: 'tool', parts: [{ kind: 'tool_result', id: 'x', parts: [{ kind: 'text', text: '1' }] }] },
        ]),
      ),
    ).toEqual(['tool: result x 1'])
  })
})

describe('the messages of a run from OpenTelemetry', () => {
  const inputs = {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'attachment:image-1.png', mime_type: 'image/png' } },
          { type: 'audio', source: { type: 'url', url: 'attachment:audio-1.wav', mime_type: 'audio/wav' } },
          { type: 'file', file: { file_url: 'https://example.com/a.pdf' } },
        ],
      },
    ],
  }
  const outputs = {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'A cat?' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'cat' } },
        ],
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'feed', arguments: '{}' } }],
        finish_reason: 'tool_call',
      },
    ],
  }

  it('are shown with reasoning, calls and media', () => {
    const conversation = readConversation(inputs, outputs)
    expect(conversation && drawn(conversation.input)).toEqual([
      'user: What is this? | image attachment:image-1.png | audio attachment:audio-1.wav | file https://example.com/a.pdf',
    ])
    expect(conversation && drawn(conversation.output)).toEqual([
      'assistant: reasoning A cat? | call web_search({"query":"cat"}) | call feed({})',
    ])
    expect(conversation?.rest).toEqual({ inputs: undefined, outputs: undefined })
  })

  it('find their attachments by name, and keep the names of those that are not there', () => {
    const { input = [] } = readConversation(inputs, outputs) ?? {}
    const found = findAttachedMedia(input, new Map([['image-1.png', 'https://here/blobs/token']]))
    expect(found[0]?.parts.map((part) => (part.kind === 'media' ? part.media : undefined))).toEqual([
      undefined,
      { type: 'image', url: 'https://here/blobs/token', mime: 'image/png', label: 'image-1.png', isStored: true },
      { type: 'audio', url: 'attachment:audio-1.wav', mime: 'audio/wav' },
      { type: 'file', url: 'https://example.com/a.pdf' },
    ])
  })

  it('keep the URL of an image that was not uploaded to this server', () => {
    const originalUrl = 'https://api.example.com/v2/traces/1/spans/2/images/m.png'
    const media = { type: 'image', url: 'attachment:m.png', originalUrl } as const
    const messages: ChatMessage[] = [{ role: 'user', parts: [{ kind: 'media', media }] }]
    expect(findAttachedMedia(messages, new Map())[0]?.parts).toEqual([
      { kind: 'media', media: { ...media, url: originalUrl } },
    ])
    expect(findAttachedMedia(messages, new Map([['m.png', 'https://here/blobs/token']]))[0]?.parts).toMatchObject([
      { media: { url: 'https://here/blobs/token', isStored: true } },
    ])
  })
})
