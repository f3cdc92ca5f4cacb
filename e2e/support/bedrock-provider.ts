import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { FAKE_TEXT, FAKE_TOKENS } from './fake-provider.ts'

/** Amazon Bedrock on this machine: `Converse`, `ConverseStream`, and `InvokeModel` of a model of Anthropic. */
export interface BedrockProvider {
  readonly url: string
  close(): Promise<void>
}

/** Answers as the fake provider does: a call of the tool where one is asked for, else a text; `fake-forbidden` fails. */
export async function startBedrockProvider(): Promise<BedrockProvider> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const [, model = '', operation = ''] = /^\/model\/([^/]+)\/([\w-]+)$/.exec(incoming.url ?? '') ?? []
    if (decodeURIComponent(model).includes('forbidden')) return refuse(response)
    const answer = planAnswer(text)
    if (operation === 'converse') return sendJson(response, toConverse(answer))
    if (operation === 'converse-stream') return sendEvents(response, toConverseEvents(answer))
    if (operation === 'invoke') return sendJson(response, toInvoked(answer, decodeURIComponent(model)))
    response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Answer = 'text' | 'tool'

function planAnswer(text: string): Answer {
  const isResult = /"toolResult"|"tool_result"/.test(text)
  return /tool please/.test(text) && /"toolConfig"|"tools"/.test(text) && !isResult ? 'tool' : 'text'
}

const { prompt, cached, completion } = FAKE_TOKENS
/** Bedrock counts cached tokens beside its input. */
const usage = {
  inputTokens: prompt - cached,
  outputTokens: completion,
  totalTokens: prompt + completion,
  cacheReadInputTokens: cached,
  cacheWriteInputTokens: 0,
}

function toConverse(answer: Answer): object {
  const call = { toolUse: { toolUseId: 'call_1', name: 'weather', input: { city: 'Zürich' } } }
  return {
    output: { message: { role: 'assistant', content: [answer === 'tool' ? call : { text: FAKE_TEXT.join('') }] } },
    stopReason: answer === 'tool' ? 'tool_use' : 'end_turn',
    usage,
    metrics: { latencyMs: 5 },
  }
}

function toInvoked(answer: Answer, model: string): object {
  const call = { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Zürich' } }
  return {
    ...{ id: 'm1', type: 'message', role: 'assistant', model },
    content: [answer === 'tool' ? call : { type: 'text', text: FAKE_TEXT.join('') }],
    stop_reason: answer === 'tool' ? 'tool_use' : 'end_turn',
    usage: { input_tokens: prompt - cached, cache_read_input_tokens: cached, output_tokens: completion },
  }
}

function toConverseEvents(answer: Answer): readonly (readonly [type: string, payload: object])[] {
  const contentBlockIndex = 0
  const toolUse = { toolUseId: 'call_1', name: 'weather' }
  const deltas = answer === 'tool' ? [{ toolUse: { input: '{"city":"Zürich"}' } }] : FAKE_TEXT.map((text) => ({ text }))
  return [
    ['messageStart', { role: 'assistant' }],
    ...(answer === 'tool' ? [['contentBlockStart', { start: { toolUse }, contentBlockIndex }] as const] : []),
    ...deltas.map((delta) => ['contentBlockDelta', { delta, contentBlockIndex }] as const),
    ['contentBlockStop', { contentBlockIndex }],
    ['messageStop', { stopReason: answer === 'tool' ? 'tool_use' : 'end_turn' }],
    ['metadata', { usage, metrics: { latencyMs: 5 } }],
  ]
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function refuse(response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'AccessDeniedException' }
  response.writeHead(403, headers).end('{"message":"Your region is excluded."}')
}

function sendEvents(response: ServerResponse, events: readonly (readonly [string, object])[]): void {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  for (const [type, payload] of events) response.write(encodeEvent(type, payload))
  response.end()
}

/** One message of Amazon's event stream: lengths and their checksum, headers, payload, checksum of all. */
function encodeEvent(type: string, payload: object): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' }).map(
      ([name, value]) =>
        Buffer.concat([
          Buffer.from([name.length]),
          Buffer.from(name),
          Buffer.from([7, 0, value.length]),
          Buffer.from(value),
        ]),
    ),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + body.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  const head = Buffer.concat([prelude, checksum(prelude), headers, body])
  return Buffer.concat([head, checksum(head)])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes), 0)
  return sum
}
