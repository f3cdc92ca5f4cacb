import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  DEFAULT_KEY_HEADERS,
  MODEL_PROVIDER_KINDS,
  ModelCall,
  type ModelMessage,
  type ModelProviderKind,
} from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Outbound, openOutbound } from '../outbound/open-outbound.ts'
import {
  FAKE_MODELS,
  FAKE_REASONING,
  FAKE_TEXT,
  FAKE_TOKENS,
  type FakeProvider,
  startFakeProvider,
} from '../testing/fake-provider.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { MessageAssembler } from './assemble-message.ts'
import { type CallOptions, callModel, joinUrl, type ModelConnection, type ModelEvent, WIRES } from './call-model.ts'
import { gemini } from './gemini.ts'
import { listProviderModels } from './list-models.ts'
import { openaiChat } from './openai-chat.ts'
import type { Wire } from './wire.ts'

const KEY = 'sk-test-0123456789abcdefghij'

let outbound: Outbound
let fake: FakeProvider
beforeAll(async () => {
  outbound = openOutbound(['127.0.0.1'])
  fake = await startFakeProvider({ key: KEY })
})
afterAll(async () => {
  await outbound.close()
  await fake.close()
})

function connect(kind: ModelProviderKind, more: Partial<ModelConnection> = {}): ModelConnection {
  const baseUrl = kind === 'gemini' ? fake.geminiUrl : fake.url
  return { kind, baseUrl, keyHeader: DEFAULT_KEY_HEADERS[kind], key: KEY, headers: {}, ...more }
}

function aCall(model: string, more: object = {}): ModelCall {
  return ModelCall.parse({ model, messages: [{ role: 'user', content: 'Hello' }], ...more })
}

async function collect(connection: ModelConnection, call: ModelCall, options: CallOptions = {}) {
  const events: ModelEvent[] = []
  for await (const event of callModel(outbound, connection, call, options)) events.push(event)
  const last = events.at(-1)
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  const done = last?.type === 'done' ? last : undefined
  const failed = last?.type === 'failed' ? last : undefined
  return { events, text, done, failed }
}

const weather = {
  type: 'function',
  function: { name: 'weather', description: 'Looks it up', parameters: { type: 'object', properties: {} } },
}
const schema = { name: 'place', schema: { type: 'object', properties: { city: { type: 'string' } } } }

describe.each(MODEL_PROVIDER_KINDS)('a call with %s', (kind) => {
  it('streams text and ends with message, usage and reason', async () => {
    const { events, text, done } = await collect(connect(kind), aCall('fake-model'))
    expect(text).toBe(FAKE_TEXT.join(''))
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1)
    expect(done).toMatchObject({
      finish_reason: 'stop',
      model: 'fake-model',
      message: { role: 'assistant', content: FAKE_TEXT.join('') },
      usage: {
        prompt_tokens: FAKE_TOKENS.prompt,
        completion_tokens: FAKE_TOKENS.completion,
        total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
        cache_read_tokens: FAKE_TOKENS.cached,
        reasoning_tokens: kind === 'anthropic-messages' ? null : FAKE_TOKENS.reasoning,
      },
      reply: { status: 200, truncated: false },
    })
    expect(done?.reply?.body).toContain('Grüße')
    expect(done?.first_token_ms).toBeLessThanOrEqual(done?.latency_ms ?? 0)
  })

  it.each([
    ['asked for whole', { stream: false }, 'fake-model'],
    ['whole although a stream was asked for', {}, 'fake-whole'],
  ])('reads an answer that is %s', async (_name, options, model) => {
    const { text, done } = await collect(connect(kind), aCall(model), options)
    expect(text).toBe(FAKE_TEXT.join(''))
    expect(done).toMatchObject({ finish_reason: 'stop', usage: { prompt_tokens: FAKE_TOKENS.prompt } })
  })

  it('keeps reasoning apart from the answer', async () => {
    const { events, text, done } = await collect(connect(kind), aCall('fake-reasoning'))
    expect(text).toBe(FAKE_TEXT.join(''))
    expect(events).toContainEqual({ type: 'reasoning', text: FAKE_REASONING })
    expect(done?.message.reasoning).toBe(FAKE_REASONING)
    if (kind === 'anthropic-messages') expect(done?.message.reasoning_signature).toBe('signed')
  })

  it('calls tools, and goes on with their results', async () => {
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Use a tool please' },
    ]
    const call = aCall('fake-model', { messages, tools: [weather], tool_choice: 'auto' })
    const { done } = await collect(connect(kind), call)
    expect(done?.finish_reason).toBe('tool_calls')
    const [asked] = done?.message.tool_calls ?? []
    expect(asked).toMatchObject({ function: { name: 'weather', arguments: '{"city":"Zürich"}' } })
    if (done === undefined || asked === undefined) throw new Error('no tool call')

    const result: ModelMessage = { role: 'tool', tool_call_id: asked.id, content: '{"degrees":12}' }
    const next = aCall('fake-model', { messages: [...messages, done.message, result], tools: [weather] })
    const second = await collect(connect(kind), next)
    expect(second.done?.message.content).toBe(FAKE_TEXT.join(''))
    const sent = fake.heard.at(-1)?.text ?? ''
    expect(sent).toContain('degrees')
    expect(sent).toContain('weather')
  })

  it('asks for answers that match a schema, beside tools too', async () => {
    const { text, done } = await collect(
      connect(kind),
      aCall('fake-model', { output_schema: schema, tools: [weather] }),
    )
    if (kind === 'anthropic-messages') {
      // Without native schemas, the model must call one of the tools: here it selects the user's.
      expect(done?.finish_reason).toBe('tool_calls')
      const alone = await collect(connect(kind), aCall('fake-model', { output_schema: schema }))
      expect(JSON.parse(alone.text)).toEqual({ city: 'Zürich' })
      expect(alone.done).toMatchObject({ finish_reason: 'stop', message: { content: '{"city":"Zürich"}' } })
    } else {
      expect(JSON.parse(text)).toEqual({ city: 'Zürich' })
    }
    expect(fake.heard.at(-1)?.text).toContain('"city"')
  })

  it('sends images, raw parts, parameters and unknown fields', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const raw = { type: 'raw', raw: { type: 'own_part', value: 'kept' } }
    const call = aCall('fake-model', {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, image, raw] }],
      parameters: { temperature: 0.25, max_tokens: 77 },
      extra_body: { own_field: { nested: [1, 'two'] }, stream_options: null },
    })
    await collect(connect(kind), call)
    const { text, body } = fake.heard.at(-1)!
    for (const part of ['aGk=', '"own_part"', '0.25', '77']) expect(text).toContain(part)
    expect(body.own_field).toEqual({ nested: [1, 'two'] })
    expect(body).not.toHaveProperty('stream_options')
  })

  it('tells what was sent, without secrets', async () => {
    const headers = { 'x-team': 'blue', 'x-secret-token': 'hidden-value' }
    const { events } = await collect(connect(kind, { headers }), aCall('fake-model'))
    const [first] = events
    if (first?.type !== 'request') throw new Error('no request')
    expect(first.request.headers).toMatchObject({
      'content-type': 'application/json',
      [DEFAULT_KEY_HEADERS[kind]]: '********',
      'x-team': '********',
    })
    expect(JSON.parse(first.request.body)).toEqual(fake.heard.at(-1)?.body)
    expect(fake.heard.at(-1)?.headers).toMatchObject({ 'x-team': 'blue', 'x-secret-token': 'hidden-value' })
    expect(JSON.stringify(events)).not.toMatch(/hidden-value|sk-test/)
  })

  it.each([
    ['nothing', undefined, 'unauthorized', 'requires a key'],
    ['a wrong key', 'sk-wrong-0123456789', 'unauthorized', 'rejects the key'],
  ])('with %s reports a missing or wrong key', async (_name, key, code, words) => {
    const { failed } = await collect(connect(kind, { key }), aCall('fake-model'))
    expect(failed?.problem).toMatchObject({ code, status: 401, provider_message: 'Incorrect API key provided.' })
    expect(failed?.problem.message).toContain(words)
  })

  it.each([
    ['no-such-model', { code: 'unknown_model', status: 404, retry: false }],
    ['fake-rate-limited', { code: 'rate_limited', status: 429, retry: true, retry_after_seconds: 7 }],
    ['fake-overloaded', { code: 'provider_failed', status: 503, provider_message: 'The model is overloaded.' }],
    ['fake-forbidden', { code: 'forbidden', status: 403, provider_message: 'Your region is excluded.' }],
    ['fake-no-credit', { code: 'no_credit', retry: false }],
    ['fake-cut-off', { code: 'cut_off', retry: true }],
    ['fake-incomplete', { code: 'cut_off', retry: true }],
    ['fake-stream-error', { code: 'provider_failed', provider_message: 'Overloaded in the middle.' }],
    ['fake-garbage', { code: 'invalid_reply' }],
  ])('of %s fails as %j', async (model, problem) => {
    const { failed } = await collect(connect(kind), aCall(model))
    expect(failed?.problem).toMatchObject(problem)
    expect(failed?.reply).not.toBeNull()
  })

  it('names the parameter that the provider rejects', async () => {
    const call = aCall('fake-no-temperature', { parameters: { temperature: 0.5, max_tokens: 20 } })
    const { failed } = await collect(connect(kind), call)
    expect(failed?.problem).toMatchObject({ code: 'invalid_request', status: 400, offending_parameter: 'temperature' })
    const without = aCall('fake-no-temperature', { parameters: { max_tokens: 20 } })
    expect((await collect(connect(kind), without)).done).toBeDefined()
  })

  it('keeps the part of the answer that came before the connection broke', async () => {
    const { failed, text } = await collect(connect(kind), aCall('fake-cut-off'))
    expect(text).not.toBe('')
    expect(failed?.message.content).toBe(text)
    expect(FAKE_TEXT.join('').startsWith(text)).toBe(true)
  })

  it('gives up after a time without a byte, and after a time in all', async () => {
    const idle = await collect(connect(kind), aCall('fake-stall'), { idleMs: 300 })
    expect(idle.failed?.problem).toMatchObject({ code: 'timeout', retry: true })
    const total = await collect(connect(kind), aCall('fake-slow'), { timeoutMs: 150 })
    expect(total.failed?.problem).toMatchObject({ code: 'timeout', message: 'No answer within 0.15 s.' })
  })

  it('is limited in size', async () => {
    const { failed } = await collect(connect(kind), aCall('fake-endless'), { maxReplyBytes: 200_000 })
    expect(failed?.problem.code).toBe('too_large')
  })

  it('ends when it is cancelled, and when its reader stops', async () => {
    const aborted = fake.aborted()
    const cancel = new AbortController()
    const events: ModelEvent[] = []
    for await (const event of callModel(outbound, connect(kind), aCall('fake-slow'), { signal: cancel.signal })) {
      events.push(event)
      if (event.type === 'text') cancel.abort()
    }
    expect(events.at(-1)).toMatchObject({ type: 'failed', problem: { code: 'cancelled' } })
    for await (const event of callModel(outbound, connect(kind), aCall('fake-slow'))) {
      if (event.type === 'text') break
    }
    await expect.poll(() => fake.aborted() - aborted).toBe(2)
  })

  it.each(['fake-echo', 'fake-echo-error'])('of %s never shows the key', async (model) => {
    const { events } = await collect(connect(kind), aCall(model))
    expect(fake.heard.at(-1)?.headers[DEFAULT_KEY_HEADERS[kind]]).toContain(KEY)
    expect(JSON.stringify(events)).not.toContain(KEY)
    const texts = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
    expect(texts).not.toContain(KEY)
    if (model === 'fake-echo') expect(texts).toBe('Your key is ********.')
  })

  it('of Gemini has a call whose arguments are streamed once', () => {
    const { readEvent } = gemini.createReader(aCall('m'))
    const read = (functionCall: object) => readEvent({ candidates: [{ content: { parts: [{ functionCall }] } }] })
    const light = [
      ...read({ id: 'c1', name: 'light', willContinue: true }),
      ...read({ partialArgs: [{ jsonPath: '$.on', boolValue: true }], willContinue: true }),
      ...read({}),
    ]
    expect(light).toEqual([{ type: 'tool_call', index: 0, id: 'c1', name: 'light', arguments: '{"on":true}' }])
    expect(read({ id: 'c2', name: 'now' })).toEqual([
      { type: 'tool_call', index: 1, id: 'c2', name: 'now', arguments: '{}' },
    ])
  })

  it('of Gemini has a call that never ends, also before another one', () => {
    const { readEvent } = gemini.createReader(aCall('m'))
    const read = (functionCall: object, more: object = {}) =>
      readEvent({ candidates: [{ content: { parts: [{ functionCall }] }, ...more }] })
    const piece = { partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true }
    const toCall = (index: number, name: string, text: string) => {
      return { type: 'tool_call', index, id: `call_1_${index}`, name, arguments: text }
    }
    expect([
      ...read({ name: 'f', willContinue: true }),
      ...read(piece),
      ...read({ name: 'g', args: { b: 1 } }),
    ]).toEqual([toCall(0, 'f', '{"a":"x"}'), toCall(1, 'g', '{"b":1}')])
    expect([...read({ name: 'f', willContinue: true }), ...read(piece, { finishReason: 'MAX_TOKENS' })]).toEqual([
      toCall(2, 'f', '{"a":"x"}'),
      { type: 'finish', reason: 'length', providerReason: 'MAX_TOKENS' },
    ])
  })

  it('lists models', async () => {
    const { models, problem } = await listProviderModels(outbound, connect(kind))
    expect(problem).toBeUndefined()
    expect(models).toEqual(FAKE_MODELS)
    const wrong = await listProviderModels(outbound, connect(kind, { key: 'sk-wrong-0123456789' }))
    expect(wrong.problem).toMatchObject({ code: 'unauthorized', provider_message: 'Incorrect API key provided.' })
  })
})

describe('an answer', () => {
  it.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
    'of %s is complete with its last event, although the connection stays open',
    async (kind) => {
      const { done } = await collect(connect(kind), aCall('fake-open'), { idleMs: 20_000 })
      expect(done).toMatchObject({ finish_reason: 'stop', message: { content: FAKE_TEXT.join('') } })
      expect(done?.latency_ms).toBeLessThan(15_000)
    },
  )

  it.each([true, false])('has several tool calls, also under one index (streamed: %s)', (isStream) => {
    const { readEvent, readWhole } = openaiChat.createReader(aCall('m'))
    const call = (id: string, city: string) => ({ index: 0, id, function: { name: 'weather', arguments: city } })
    const [first, second] = [call('a', 'Lima'), call('b', 'Rome')]
    const more = { index: 0, function: { arguments: '!' } }
    const message = new MessageAssembler()
    const chunks = [first, more, second, more].map((one) => ({ choices: [{ delta: { tool_calls: [one] } }] }))
    const deltas = isStream
      ? chunks.flatMap(readEvent)
      : readWhole({ choices: [{ message: { tool_calls: [first, second] } }] })
    for (const delta of deltas) message.add(delta)
    const calls = message.toMessage((text) => text).tool_calls
    const end = isStream ? '!' : ''
    expect(calls?.map(({ id, function: { arguments: text } }) => [id, text])).toEqual([
      ['a', `Lima${end}`],
      ['b', `Rome${end}`],
    ])
  })
})

describe('a request', () => {
  const build = (wire: Wire, more: object, host = 'api.example.com') => wire.build(aCall('m', more), true, host)

  it('asks Mistral for no usage, which it refuses', () => {
    expect(build(openaiChat, {}).body).toMatchObject({ stream_options: { include_usage: true } })
    expect(build(openaiChat, {}, 'api.mistral.ai').body).not.toHaveProperty('stream_options')
  })

  it.each([
    ['api.openai.com', 'developer'],
    ['own.openai.azure.com', 'developer'],
    ['api.deepseek.com', 'system'],
    ['openai.com.example.org', 'system'],
  ])('to %s has instructions of the role %s', (host, role) => {
    const messages = [{ role: 'developer', content: 'Be brief.' }]
    expect(build(openaiChat, { messages }, host).body.messages).toEqual([{ role, content: 'Be brief.' }])
  })

  it('has no nulls in tools and images', () => {
    const tools = [{ type: 'function', function: { name: 'f', description: null, parameters: null, strict: null } }]
    const image = { type: 'image_url', image_url: { url: 'https://x', detail: null } }
    const messages = [{ role: 'user', content: [image] }]
    for (const wire of Object.values(WIRES)) {
      expect(JSON.stringify(build(wire, { tools, messages }).body)).not.toContain('null')
    }
  })

  it('does not force a tool upon a model of Anthropic that thinks', () => {
    const thinking = { output_schema: schema, parameters: { reasoning_budget: 2000 } }
    expect(build(anthropicMessages, thinking).body).toMatchObject({ tool_choice: { type: 'auto' } })
    expect(build(anthropicMessages, { output_schema: schema }).body).toMatchObject({ tool_choice: { type: 'any' } })
    const free = { ...thinking, tools: [weather], tool_choice: 'auto' }
    expect(build(anthropicMessages, free).body).toMatchObject({ tool_choice: { type: 'auto' } })
    const none = { parameters: { reasoning_budget: 2000 }, tools: [weather], tool_choice: 'none' }
    expect(build(anthropicMessages, none).body).toMatchObject({ tool_choice: { type: 'none' } })
    const chosen = { ...thinking, tools: [weather], tool_choice: { name: 'weather' } }
    expect(build(anthropicMessages, chosen).body).toMatchObject({ tool_choice: { type: 'tool', name: 'weather' } })
  })

  it.each(['..', '.', 'models/..', '../../v1/files', 'tunedModels/../x'])(
    'cannot leave its path by a model %j',
    (model) => {
      const { path } = gemini.build(aCall(model), true, 'x')
      const { pathname } = new URL(joinUrl('https://x/v1beta', path))
      expect(pathname).toMatch(/^\/v1beta\/.*:streamGenerateContent$/)
      expect(pathname.split('/').length).toBe(Math.max(model.split('/').length, 2) + 2)
    },
  )
})

describe('a hostile provider', () => {
  const callWith = async (answer: object, kind: ModelProviderKind = 'openai-chat') => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    try {
      return await collect(connect(kind, { baseUrl }), aCall('m'))
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
  const toolCalls = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } }))

  it('gets no more than 1,000 tool calls into a response', async () => {
    const answer = (count: number) => ({
      choices: [{ message: { role: 'assistant', content: null, tool_calls: toolCalls(count) }, finish_reason: 'stop' }],
    })
    const { done } = await callWith(answer(1000))
    expect(done?.message.tool_calls).toHaveLength(1000)
    const { failed, events } = await callWith(answer(20_000))
    expect(failed?.problem).toMatchObject({ code: 'too_large', message: expect.stringContaining('1000 tool calls') })
    expect(failed?.message.tool_calls).toHaveLength(1000)
    expect(events.length).toBeLessThan(2100)
  })

  it.each<[ModelProviderKind, (count: number) => object]>([
    [
      'openai-chat',
      (count) => ({
        choices: [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: count, completion_tokens: count },
      }),
    ],
    [
      'openai-responses',
      (count) => ({
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }],
        usage: { input_tokens: count, output_tokens: count },
      }),
    ],
    [
      'anthropic-messages',
      (count) => ({
        type: 'message',
        content: [{ type: 'text', text: 'x' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: count, cache_read_input_tokens: count, output_tokens: count },
      }),
    ],
    [
      'gemini',
      (count) => ({
        candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count },
      }),
    ],
  ])('reports no numbers of tokens but whole ones from 0 on, in the format %s', async (kind, answer) => {
    for (const count of [-5, 0.5, 1e308, Number.MAX_SAFE_INTEGER]) {
      const { done, failed } = await callWith(answer(count), kind)
      expect(failed?.problem).toBeUndefined()
      for (const tokens of Object.values(done?.usage ?? {})) {
        expect(tokens === null || (Number.isSafeInteger(tokens) && tokens >= 0), `${kind} ${tokens}`).toBe(true)
      }
    }
  })
})

describe('a provider that is not there', () => {
  it.each([
    ['http://127.0.0.1:1', 'connection', 'ECONNREFUSED'],
    ['http://no-such-host.invalid/v1', 'dns', 'no-such-host.invalid could not be reached'],
    ['http://10.255.255.1/v1', 'not_allowed', 'TOUCHSTONE_OUTBOUND_ALLOW'],
  ])('%s is a problem of kind %s', async (baseUrl, code, words) => {
    const connection = connect('openai-chat', { baseUrl })
    const { failed } = await collect(connection, aCall('fake-model'))
    expect(failed?.problem).toMatchObject({ code, status: null })
    expect(failed?.problem.message).toContain(words)
    expect((await listProviderModels(outbound, connection)).problem).toMatchObject({ code })
  })

  it('speaks no TLS', async () => {
    const connection = connect('openai-chat', { baseUrl: fake.url.replace('http:', 'https:') })
    expect((await collect(connection, aCall('fake-model'))).failed?.problem.code).toBe('tls')
  })

  it('has another path', async () => {
    const connection = connect('openai-chat', { baseUrl: new URL('/v2', fake.url).href })
    const problem = { code: 'wrong_path', status: 404, provider_message: 'Not Found' }
    expect((await collect(connection, aCall('fake-model'))).failed?.problem).toMatchObject(problem)
    expect((await listProviderModels(outbound, connection)).problem).toMatchObject(problem)
  })

  it.each([
    ['text/html', '<html><title>Welcome</title><body>Welcome to nginx</body></html>', 'Welcome to nginx'],
    ['application/json', '{"hello":"world"}', 'hello'],
    ['application/json', 'no json', 'no json'],
    ['text/event-stream', 'data: {"hello":"world"}\n\n', undefined],
  ])('answers with something else: %s %s', async (type, body, words) => {
    await answering(type, body, async (baseUrl) => {
      for (const kind of MODEL_PROVIDER_KINDS) {
        const { failed } = await collect(connect(kind, { baseUrl }), aCall('fake-model'))
        expect(failed?.problem.code).toBe(words === undefined ? 'cut_off' : 'invalid_reply')
        if (words !== undefined) expect(failed?.problem.provider_message).toContain(words)
      }
    })
  })

  const encodings: readonly [string, string][] = [
    ['plain', KEY],
    ['base64', Buffer.from(`user:${KEY}`).toString('base64')],
    ['percents', encodeURIComponent(KEY).replaceAll('-', '%2D')],
    ['escapes', KEY.replaceAll('-', '\\u002d')],
  ]
  it.each(encodings)('never shows the key in its tool calls and reasoning, also in pieces: %s', async (_, form) => {
    const [first, second] = [form.slice(0, 11), form.slice(11)]
    const call = (part: object) => ({ tool_calls: [{ index: 0, ...part }] })
    const deltas = [
      { reasoning_content: `I think ${first}` },
      { reasoning_content: `${second}.` },
      call({ id: form, function: { name: form, arguments: `{"key":"${first}` } }),
      call({ function: { arguments: `${second}"}` } }),
      { content: first },
      { content: `${second} end` },
    ]
    const chunks = deltas.map((delta) => ({ model: form, choices: [{ index: 0, delta, finish_reason: null }] }))
    const last = { choices: [{ index: 0, delta: {}, finish_reason: form }] }
    const body = [...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    await answering('text/event-stream', `${body}data: [DONE]\n\n`, async (baseUrl) => {
      const { events, text, done } = await collect(connect('openai-chat', { baseUrl }), aCall('fake-model'))
      for (const part of [form, first, second.slice(0, -2)]) expect(JSON.stringify(events)).not.toContain(part)
      expect(text).toMatch(/\*{8}=* end$/)
      const [made] = done?.message.tool_calls ?? []
      expect(done?.message.reasoning).toContain('********')
      expect([made?.id, made?.function.name, made?.function.arguments].every((one) => one?.includes('****'))).toBe(true)
      expect(done?.reply).toMatchObject({ body: expect.stringContaining('is not shown'), truncated: true })
    })
  })
})

/** A provider that gives one answer to everything. */
async function answering(type: string, body: string, ask: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => void response.writeHead(200, { 'content-type': type }).end(body))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
