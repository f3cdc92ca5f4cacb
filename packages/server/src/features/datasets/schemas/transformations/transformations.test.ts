import { describe, expect, it } from 'vitest'
import { assertTransformations, prepareExample } from '../index.ts'

interface Given {
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly schema?: object
  readonly run?: { readonly inputs?: unknown; readonly extra?: unknown }
}

const step = (transformation_type: string, ...path: string[]) => ({ transformation_type, path })

function transformed(list: readonly object[], { inputs = {}, outputs = null, schema, run }: Given) {
  const dataset = {
    inputs_schema: schema === undefined ? null : JSON.stringify(schema),
    outputs_schema: null,
    transformations: JSON.stringify(list),
  }
  const texts = { inputs: text(inputs), outputs: outputs === null ? null : text(outputs) }
  const source = run && { inputs: JSON.stringify(run.inputs ?? {}), extra: JSON.stringify(run.extra ?? {}) }
  return prepareExample(dataset, texts, source)
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const inputsOf = (list: readonly object[], given: Given) =>
  JSON.parse(transformed(list, given).inputs) as Record<string, unknown>

const TO_MESSAGE = step('convert_to_openai_message', 'inputs', 'messages')

describe('messages are converted to OpenAI messages', () => {
  it.each([
    ['stored LangChain', { type: 'human', data: { content: 'hi' } }, { role: 'user', content: 'hi' }],
    [
      'serialized LangChain',
      { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'SystemMessage'], kwargs: { content: 'be' } },
      { role: 'system', content: 'be' },
    ],
    ['flat LangChain', { type: 'ai', content: 'yes', name: 'bot' }, { role: 'assistant', content: 'yes', name: 'bot' }],
    [
      'with a role of its own',
      { type: 'chat', data: { role: 'developer', content: 'x' } },
      { role: 'developer', content: 'x' },
    ],
    [
      'tool calls of LangChain',
      { type: 'ai', data: { content: '', tool_calls: [{ id: 'c', name: 'add', args: { a: 1 } }] } },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
    ],
    [
      'lifted from additional_kwargs',
      { type: 'ai', data: { content: '', additional_kwargs: { function_call: { name: 'f', arguments: '{}' } } } },
      { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } },
    ],
    [
      'Anthropic text',
      { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
      { role: 'assistant', content: 'yes' },
    ],
    [
      'Anthropic tool use',
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'let me' },
          { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } },
        ],
      },
      {
        role: 'assistant',
        content: 'let me',
        tool_calls: [{ id: 't', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
    ],
    [
      'Anthropic image',
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
    ],
    ['Gemini', { role: 'model', parts: [{ text: 'yes' }] }, { role: 'assistant', content: 'yes' }],
    [
      'a call of GenAI',
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: { a: 1 } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ],
    [
      'a result of GenAI',
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: { ok: true } }] },
      { role: 'tool', tool_call_id: 'c', content: '{"ok":true}' },
    ],
    [
      'thoughts of Gemini',
      { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'yes' }] },
      { role: 'assistant', content: 'yes', reasoning_content: 'hm' },
    ],
    [
      'code of Gemini',
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'print(3)' } }] },
      { role: 'assistant', content: [{ executableCode: { language: 'PYTHON', code: 'print(3)' } }] },
    ],
    [
      'a call of Bedrock',
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: { a: 1 } } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ],
    [
      'a call of the AI SDK',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ],
    [
      'an item of the responses of OpenAI',
      { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{"a": 1}' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
      },
    ],
    ['OpenAI itself', { role: 'user', content: 'hi' }, { role: 'user', content: 'hi' }],
    ['no message at all', { type: 'weather', wind: 3 }, { type: 'weather', wind: 3 }],
  ])('from %s', (_, message, expected) => {
    expect(inputsOf([TO_MESSAGE], { inputs: { messages: [message] } })).toEqual({ messages: [expected] })
  })

  it('results of several tools become several messages', () => {
    const content = ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` }))
    expect(inputsOf([TO_MESSAGE], { inputs: { messages: [{ role: 'user', content }] } })).toEqual({
      messages: [
        { role: 'tool', tool_call_id: 'a', content: 'of a' },
        { role: 'tool', tool_call_id: 'b', content: 'of b' },
      ],
    })
  })

  it('keeps digits that JavaScript cannot represent, and text outside the path', () => {
    const inputs =
      '{"z": 1.0,  "messages":[{"type":"ai","content":"","tool_calls":[{"name":"f","args":{"n":12345678901234567890}}]}], "a":1e400}'
    expect(transformed([TO_MESSAGE], { inputs }).inputs).toBe(
      '{"z":1.0,"messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\\"n\\":12345678901234567890}"}}]}],"a":1e400}',
    )
  })
})

describe('other transformations', () => {
  const PARAMETERS = { type: 'object', properties: { a: {} } }
  it.each([
    ['Anthropic', { name: 'add', description: 'adds', input_schema: PARAMETERS }],
    ['a bare function', { name: 'add', description: 'adds', parameters: PARAMETERS }],
    ['OpenAI itself', { type: 'function', function: { name: 'add', description: 'adds', parameters: PARAMETERS } }],
    ['Bedrock', { toolSpec: { name: 'add', description: 'adds', inputSchema: { json: PARAMETERS } } }],
    ['Gemini', { functionDeclarations: [{ name: 'add', description: 'adds', parameters: PARAMETERS }] }],
    ['a JSON Schema', { title: 'add', description: 'adds', ...PARAMETERS }],
  ])('tools are converted to OpenAI tools from %s', (_, tool) => {
    const list = [step('convert_to_openai_tool', 'inputs', 'tools')]
    expect(inputsOf(list, { inputs: { tools: [tool] } })).toEqual({
      tools: [{ type: 'function', function: { name: 'add', description: 'adds', parameters: PARAMETERS } }],
    })
  })

  it('run in a fixed order, independent of the order of the list', () => {
    const list = [step('remove_system_messages', 'inputs', 'messages'), TO_MESSAGE]
    const messages = [
      { lc: 1, type: 'constructor', id: ['SystemMessage'], kwargs: { content: 'be' } },
      { role: 'user', content: 'hi' },
    ]
    expect(inputsOf(list, { inputs: { messages } })).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
  })

  it('fields that the schema does not define are removed, also nested and through references', () => {
    const schema = {
      properties: {
        kept: {},
        open: { additionalProperties: true, properties: { a: {} } },
        list: { items: { $ref: '#/$defs/item' } },
      },
      $defs: { item: { properties: { a: {} } } },
    }
    const inputs = '{"extra":1,"kept":{"any":2},"open":{"a":1,"b":2},"list":[{"a":1.0,"b":2}]}'
    expect(transformed([step('remove_extra_fields', 'inputs')], { inputs, schema }).inputs).toBe(
      '{"kept":{"any":2},"open":{"a":1,"b":2},"list":[{"a":1.0}]}',
    )
  })

  it('run before the check', () => {
    const schema = { properties: { a: {} }, additionalProperties: false }
    expect(transformed([step('remove_extra_fields', 'inputs')], { inputs: { a: 1, b: 2 }, schema }).violations).toEqual(
      [],
    )
  })

  it('tools of the source run are added at the path', () => {
    const list = [step('extract_tools_from_run', 'inputs', 'tools')]
    const run = { extra: { invocation_params: { tools: [{ name: 'add', input_schema: {} }] } } }
    expect(inputsOf(list, { inputs: { q: 1 }, run })).toEqual({
      q: 1,
      tools: [{ type: 'function', function: { name: 'add', parameters: {} } }],
    })
    expect(inputsOf(list, { inputs: { q: 1 } })).toEqual({ q: 1 })
  })

  it('do nothing for a path without a value', () => {
    const list = [
      TO_MESSAGE,
      step('remove_system_messages', 'outputs', 'a', 'b'),
      step('convert_to_openai_tool', 'inputs', 'q'),
    ]
    expect(transformed(list, { inputs: '{ "q" : "text" }', outputs: '{"a":[1]}' })).toEqual({
      inputs: '{ "q" : "text" }',
      outputs: '{"a":[1]}',
      violations: [],
    })
  })

  it.each([
    ['{}', 'it must be a list'],
    [JSON.stringify([step('turn_to_gold', 'inputs')]), '"turn_to_gold" is not among'],
    [JSON.stringify([step('remove_extra_fields', 'metadata')]), 'transformations.0.path'],
  ])('are rejected: %s', (list, message) => {
    expect(() => assertTransformations(list)).toThrow(message)
  })
})
