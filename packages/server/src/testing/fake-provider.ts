import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model provider on this machine that speaks the four wire formats. It imports nothing of the server: e2e uses it too. */
export interface FakeProvider {
  /** Base URL of OpenAI's and Anthropic's formats. */
  readonly url: string
  /** Base URL of Gemini's format. */
  readonly geminiUrl: string
  /** Requests in the order of arrival. */
  readonly heard: FakeRequest[]
  /** Connections that the client ended before the answer was complete. */
  readonly aborted: () => number
  close(): Promise<void>
}

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Parsed; empty for other bodies. */
  readonly body: Record<string, unknown>
}

/**
 * Models of the fake provider; each behaves as its name. `fake-model` answers `FAKE_TEXT`, calls the first tool when the
 * last message of the user contains "tool", and answers with JSON when a schema is given.
 */
export const FAKE_MODELS = [
  'fake-model',
  /** Thinks before it answers. */
  'fake-reasoning',
  /** Answers with JSON although a stream was asked for. */
  'fake-whole',
  /** Waits 100 ms between pieces. */
  'fake-slow',
  /** Sends one piece and then nothing. */
  'fake-stall',
  /** Keeps the connection open after the answer. */
  'fake-open',
  /** Ends the connection within the answer. */
  'fake-cut-off',
  /** Ends the stream in good order, without the end of the answer. */
  'fake-incomplete',
  /** Reports an error within the stream. */
  'fake-stream-error',
  /** Sends events that are no JSON. */
  'fake-garbage',
  /** Repeats the key that it was sent in the answer. */
  'fake-echo',
  /** Repeats the key in an error. */
  'fake-echo-error',
  /** Answers 400 while `temperature` is sent. */
  'fake-no-temperature',
  'fake-rate-limited',
  'fake-no-credit',
  'fake-overloaded',
  'fake-forbidden',
  /** Answers with the text between `<<<` and `>>>` of the messages. */
  'fake-script',
  /** The same, and answers 400 while a schema is sent. */
  'fake-script-no-schema',
  /** The same with schemas, and answers 503 to the first of equal calls. */
  'fake-script-flaky',
  /** The same with schemas, after 100 ms. */
  'fake-script-slow',
  /** Never stops. */
  'fake-endless',
] as const

export const FAKE_TEXT = ['Grüße ', 'vom ', 'Modell ✓']
export const FAKE_REASONING = 'Let me think.'
export const FAKE_TOKENS = { prompt: 20, cached: 5, completion: 10, reasoning: 4 }

export interface FakeOptions {
  /** Key without which every request gets 401. @default none */
  readonly key?: string
  /** Names of real models that behave as `fake-model`. @default none */
  readonly others?: readonly string[]
}

export async function startFakeProvider({ key, others = [] }: FakeOptions = {}): Promise<FakeProvider> {
  const heard: FakeRequest[] = []
  let aborted = 0
  const server = createServer((incoming, response) => {
    response.on('close', () => {
      if (!response.writableFinished) aborted++
    })
    void answer(incoming, response).catch(() => response.destroy())
  })

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const path = incoming.url ?? ''
    const request = { method: incoming.method ?? '', path, headers: incoming.headers, text, body: parse(text) }
    const isFirst = !heard.some((before) => before.text === text)
    heard.push(request)
    const wire = findWire(path)
    if (key !== undefined && !sentSecrets(incoming.headers).includes(key)) {
      return refuse(response, wire ?? 'chat', 401, 'Incorrect API key provided.', { code: 'invalid_api_key' })
    }
    const { pathname } = new URL(path, 'http://fake')
    if (request.method === 'GET' && /^\/v1(beta)?\/models$/.test(pathname))
      return listModels(response, pathname.includes('v1beta'))
    if (wire === undefined) return sendJson(response, 404, { detail: 'Not Found' })
    if (isFirst && request.body.model === 'fake-script-flaky') return refuse(response, wire, 503, 'Try again.')
    await answerCall(request, response, { wire, others })
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    geminiUrl: `${origin}/v1beta`,
    heard,
    aborted: () => aborted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type FakeWire = 'chat' | 'responses' | 'messages' | 'gemini'

function findWire(path: string): FakeWire | undefined {
  const { pathname } = new URL(path, 'http://fake')
  if (pathname === '/v1/chat/completions') return 'chat'
  if (pathname === '/v1/responses') return 'responses'
  if (pathname === '/v1/messages') return 'messages'
  return /^\/v1beta\/models\/[^/]+:(streamG|g)enerateContent$/.test(pathname) ? 'gemini' : undefined
}

function sentSecrets(headers: IncomingHttpHeaders): string[] {
  const bearer = headers.authorization?.replace(/^Bearer /, '')
  return [bearer, headers['api-key'], headers['x-api-key'], headers['x-goog-api-key']].flatMap((one) => one ?? [])
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function listModels(response: ServerResponse, isGemini: boolean): void {
  const list = isGemini
    ? { models: FAKE_MODELS.map((id) => ({ name: `models/${id}` })) }
    : { object: 'list', data: FAKE_MODELS.map((id) => ({ id, object: 'model' })) }
  sendJson(response, 200, list)
}

/** An error in the words of each kind of provider. */
function refuse(
  response: ServerResponse,
  wire: FakeWire,
  status: number,
  message: string,
  { code, param, headers }: { code?: string; param?: string; headers?: Record<string, string> } = {},
): void {
  const bodies = {
    chat: { error: { message, type: 'invalid_request_error', param: param ?? null, code: code ?? null } },
    responses: { error: { message, type: 'invalid_request_error', param: param ?? null, code: code ?? null } },
    messages: { type: 'error', error: { type: code ?? 'invalid_request_error', message } },
    gemini: { error: { code: status, message, status: code ?? 'INVALID_ARGUMENT' } },
  }
  sendJson(response, status, bodies[wire], headers)
}

async function answerCall(
  request: FakeRequest,
  response: ServerResponse,
  { wire, others }: { readonly wire: FakeWire; readonly others: readonly string[] },
): Promise<void> {
  const { body, headers, path } = request
  const model = wire === 'gemini' ? decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? '') : String(body.model)
  const secret = sentSecrets(headers)[0] ?? 'no key'
  switch (model) {
    case 'fake-rate-limited':
      return refuse(response, wire, 429, 'Too many requests.', { headers: { 'retry-after': '7' } })
    case 'fake-no-credit':
      return refuse(response, wire, 429, 'You exceeded your current quota.', { code: 'insufficient_quota' })
    case 'fake-overloaded':
      return refuse(response, wire, 503, 'The model is overloaded.', { code: 'overloaded_error' })
    case 'fake-forbidden':
      return refuse(response, wire, 403, 'Your region is excluded.')
    case 'fake-echo-error':
      return refuse(response, wire, 401, `Incorrect API key provided: ${secret}.`)
    case 'fake-script-no-schema':
      if (/"response_format"|responseJsonSchema/.test(request.text)) {
        return refuse(response, wire, 400, 'This server does not support response_format.')
      }
      break
    case 'fake-no-temperature':
      if (/"temperature"/.test(request.text)) {
        const param = wire === 'chat' || wire === 'responses' ? { param: 'temperature' } : {}
        return refuse(response, wire, 400, "Unsupported parameter: 'temperature' is not supported.", param)
      }
  }
  if (![...FAKE_MODELS, ...others].includes(model)) {
    const words = wire === 'messages' ? `model: ${model}` : `The model \`${model}\` does not exist.`
    return refuse(response, wire, 404, words, { code: wire === 'messages' ? 'not_found_error' : 'model_not_found' })
  }
  const isStream = wire === 'gemini' ? path.includes('stream') : body.stream === true
  const parts = planAnswer(request, model, secret)
  if (model === 'fake-script-slow') await new Promise((resume) => setTimeout(resume, 100))
  if (!isStream || model === 'fake-whole') return sendJson(response, 200, writeWhole[wire](parts, model))
  await stream(response, writeEvents[wire](parts, model), model)
}

interface Parts {
  readonly texts: readonly string[]
  readonly reasoning: string
  readonly tool: string | undefined
  /** JSON of the arguments of the tool. @default FAKE_ARGUMENTS */
  readonly args?: string
}

const FAKE_ARGUMENTS = '{"city":"Zürich"}'

function planAnswer({ text }: FakeRequest, model: string, secret: string): Parts {
  const reasoning = model === 'fake-reasoning' ? FAKE_REASONING : ''
  if (model === 'fake-echo') return { texts: ['Your key is ', ...cutInTwo(secret), '.'], reasoning, tool: undefined }
  const tool = /"(?:name)":"(\w+)"/.exec(text.slice(Math.max(0, text.indexOf('"tools"'))))?.[1]
  const isResult = /"role":"tool"|"tool_result"|function_call_output|functionResponse/.test(text)
  const wantsTool = text.includes('"tools"') && /tool please/.test(text) && !isResult
  if (wantsTool && tool !== undefined) return { texts: [], reasoning, tool }
  const forced = /"tool_choice":\{"type":"any"\}/.test(text) ? tool : undefined
  const script = model.startsWith('fake-script') ? readScript(text) : undefined
  if (forced !== undefined) return { texts: [], reasoning, tool: forced, ...(script && { args: script }) }
  if (script !== undefined) return { texts: cutInTwo(script), reasoning, tool: undefined }
  const hasSchema = /"json_schema"|"json_object"|responseJsonSchema/.test(text)
  return { texts: hasSchema ? ['{"city":', '"Zürich"}'] : FAKE_TEXT, reasoning, tool: undefined }
}

function readScript(body: string): string {
  const script = /<<<(.*?)>>>/s.exec(body)?.[1] ?? ''
  return JSON.parse(`"${script}"`) as string
}

function cutInTwo(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

/** Waits until a response can be written to, or has been closed. */
function drain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const resume = () => {
      response.off('drain', resume).off('close', resume)
      resolve()
    }
    response.on('drain', resume).on('close', resume)
  })
}

async function stream(response: ServerResponse, events: readonly unknown[], model: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (event: unknown) => {
    const type = (event as { type?: unknown } | null)?.type
    const head = typeof type === 'string' ? `event: ${type}\n` : ''
    return response.write(`${head}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  if (model === 'fake-garbage') return void response.end('data: {"choices": [\n\n')
  const middle = Math.ceil(events.length / 2)
  for (const [at, event] of events.entries()) {
    if (at === middle && model === 'fake-stall') return
    if (at === middle && model === 'fake-cut-off') return void setTimeout(() => response.destroy(), 20)
    if (at === middle && model === 'fake-incomplete') return void response.end()
    if (at === middle && model === 'fake-stream-error') {
      say({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded in the middle.' } })
      return void response.end()
    }
    say(event)
    while (at === middle && model === 'fake-endless' && !response.destroyed) {
      if (!say(event)) await drain(response)
    }
    if (model === 'fake-slow') await new Promise((resume) => setTimeout(resume, 100))
  }
  if (model !== 'fake-open') response.end()
}

const { prompt, cached, completion, reasoning: thought } = FAKE_TOKENS
const openaiUsage = {
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: thought },
}
const responsesUsage = {
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: completion,
  output_tokens_details: { reasoning_tokens: thought },
  total_tokens: prompt + completion,
}
const geminiUsage = {
  promptTokenCount: prompt,
  cachedContentTokenCount: cached,
  candidatesTokenCount: completion - thought,
  thoughtsTokenCount: thought,
  totalTokenCount: prompt + completion,
}
const anthropicInput = { input_tokens: prompt - cached, cache_read_input_tokens: cached, output_tokens: 1 }

type WriteWhole = (parts: Parts, model: string) => unknown
type WriteEvents = (parts: Parts, model: string) => unknown[]

const writeWhole: Readonly<Record<FakeWire, WriteWhole>> = {
  chat({ texts, reasoning, tool }, model) {
    const tool_calls = tool && [{ id: 'call_1', type: 'function', function: { name: tool, arguments: FAKE_ARGUMENTS } }]
    const message = {
      role: 'assistant',
      content: tool ? null : texts.join(''),
      ...(reasoning && { reasoning_content: reasoning }),
      ...(tool_calls && { tool_calls }),
    }
    return {
      id: 'c1',
      model,
      choices: [{ index: 0, message, finish_reason: tool ? 'tool_calls' : 'stop' }],
      usage: openaiUsage,
    }
  },
  responses({ texts, reasoning, tool }, model) {
    const output = [
      ...(reasoning ? [{ type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] }] : []),
      tool
        ? { type: 'function_call', call_id: 'call_1', name: tool, arguments: FAKE_ARGUMENTS }
        : {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: texts.join(''), annotations: [] }],
          },
    ].map((item, at) => ({ id: `item_${at}`, ...item }))
    return { id: 'r1', object: 'response', status: 'completed', model, output, usage: responsesUsage, error: null }
  },
  messages({ texts, reasoning, tool, args = FAKE_ARGUMENTS }, model) {
    const content = [
      ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: 'signed' }] : []),
      tool
        ? { type: 'tool_use', id: 'call_1', name: tool, input: JSON.parse(args) }
        : { type: 'text', text: texts.join('') },
    ]
    const usage = { ...anthropicInput, output_tokens: completion }
    return {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: tool ? 'tool_use' : 'end_turn',
      usage,
    }
  },
  gemini({ texts, reasoning, tool }, model) {
    const parts = [
      ...(reasoning ? [{ text: reasoning, thought: true }] : []),
      tool ? geminiCall(tool) : { text: texts.join('') },
    ]
    const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }]
    return { candidates, usageMetadata: geminiUsage, modelVersion: model }
  },
}

function geminiCall(name: string) {
  return { functionCall: { name, args: JSON.parse(FAKE_ARGUMENTS) }, thoughtSignature: 'signed' }
}

const writeEvents: Readonly<Record<FakeWire, WriteEvents>> = {
  chat({ texts, reasoning, tool }, model) {
    const head = { id: 'c1', object: 'chat.completion.chunk', model }
    const choice = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason }],
    })
    const call = (part: object) => choice({ tool_calls: [{ index: 0, ...part }] })
    const [first = '', second = ''] = cutInTwo(FAKE_ARGUMENTS)
    return [
      choice({ role: 'assistant', content: '' }),
      ...(reasoning ? [choice({ reasoning_content: reasoning })] : []),
      ...texts.map((content) => choice({ content })),
      ...(tool
        ? [
            call({ id: 'call_1', type: 'function', function: { name: tool, arguments: '' } }),
            call({ function: { arguments: first } }),
            call({ function: { arguments: second } }),
          ]
        : []),
      choice({}, tool ? 'tool_calls' : 'stop'),
      { ...head, choices: [], usage: openaiUsage },
      '[DONE]',
    ]
  },
  responses(content, model) {
    const { texts, reasoning = '' } = content
    const whole = writeWhole.responses(content, model) as { readonly output: readonly Record<string, unknown>[] }
    const items = whole.output.map((item, output_index) => {
      const at = { output_index, item_id: `item_${output_index}` }
      const added = { type: 'response.output_item.added', output_index }
      const done = { type: 'response.output_item.done', output_index, item }
      if (item.type === 'message') {
        const part = { type: 'output_text', text: '', annotations: [] }
        return [
          { ...added, item: { ...item, status: 'in_progress', content: [] } },
          { type: 'response.content_part.added', ...at, content_index: 0, part },
          ...texts.map((delta) => ({
            type: 'response.output_text.delta',
            ...at,
            content_index: 0,
            delta,
            logprobs: [],
          })),
          done,
        ]
      }
      if (item.type === 'reasoning') {
        const part = { type: 'summary_text', text: '' }
        return [
          { ...added, item: { ...item, summary: [] } },
          { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part },
          { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: reasoning },
          done,
        ]
      }
      return [
        { ...added, item: { ...item, arguments: '' } },
        ...cutInTwo(FAKE_ARGUMENTS).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
        done,
      ]
    })
    return [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
      ...items.flat(),
      { type: 'response.completed', response: whole },
    ]
  },
  messages({ texts, reasoning, tool }, model) {
    const [first = '', second = ''] = cutInTwo(FAKE_ARGUMENTS)
    // Blocks are numbered from 0 without gaps, as clients and instrumentations expect.
    const textAt = reasoning ? 1 : 0
    const toolAt = textAt + (texts.length > 0 ? 1 : 0)
    const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
    const change = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
    const stop = (index: number) => ({ type: 'content_block_stop', index })
    const message = { id: 'm1', type: 'message', role: 'assistant', model, content: [], usage: anthropicInput }
    return [
      { type: 'message_start', message },
      { type: 'ping' },
      ...(reasoning
        ? [
            start(0, { type: 'thinking', thinking: '' }),
            change(0, { type: 'thinking_delta', thinking: reasoning }),
            change(0, { type: 'signature_delta', signature: 'signed' }),
            stop(0),
          ]
        : []),
      ...(texts.length > 0 ? [start(textAt, { type: 'text', text: '' })] : []),
      ...texts.map((text) => change(textAt, { type: 'text_delta', text })),
      ...(texts.length > 0 ? [stop(textAt)] : []),
      ...(tool
        ? [
            start(toolAt, { type: 'tool_use', id: 'call_1', name: tool, input: {} }),
            change(toolAt, { type: 'input_json_delta', partial_json: first }),
            change(toolAt, { type: 'input_json_delta', partial_json: second }),
            stop(toolAt),
          ]
        : []),
      {
        type: 'message_delta',
        delta: { stop_reason: tool ? 'tool_use' : 'end_turn' },
        usage: { output_tokens: completion },
      },
      { type: 'message_stop' },
    ]
  },
  gemini({ texts, reasoning, tool }, model) {
    const chunk = (part: object, more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
      modelVersion: model,
    })
    return [
      ...(reasoning ? [chunk({ text: reasoning, thought: true })] : []),
      ...texts.map((text) => chunk({ text })),
      ...(tool ? [chunk(geminiCall(tool))] : []),
      { ...chunk({ text: '' }, { finishReason: 'STOP' }), usageMetadata: geminiUsage },
    ]
  },
}
