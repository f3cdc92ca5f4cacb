import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { wrapAnthropic } from './anthropic.ts'
import { countIterated } from './testing/count-iterated.ts'

const config = (recorded: object) => ({
  tracingEnabled: true,
  client: {
    createRun: ({ inputs }: { inputs?: KVMap }) => Promise.resolve(Object.assign(recorded, { inputs })),
    updateRun: (_id: string, { outputs }: { outputs?: KVMap }) => Promise.resolve(Object.assign(recorded, { outputs })),
  } as never,
})

/** The outputs that are recorded of a message, or of a stream with these events. */
async function record(answer: KVMap | KVMap[]): Promise<KVMap> {
  return (await recordCall({ model: 'claude-sonnet-4-5', messages: [] }, answer)).outputs
}

async function recordCall(body: KVMap, answer: KVMap | KVMap[]): Promise<{ inputs: KVMap; outputs: KVMap }> {
  const run: { inputs: KVMap; outputs: KVMap } = { inputs: {}, outputs: {} }
  const create = (_body: object): Promise<unknown> =>
    Promise.resolve(
      Array.isArray(answer)
        ? (async function* () {
            yield* answer
          })()
        : answer,
    )
  const client = wrapAnthropic({ messages: { create } } as never, config(run)) as {
    messages: { create: typeof create }
  }
  const result = await client.messages.create(body)
  if (Array.isArray(answer)) for await (const _ of result as AsyncIterable<unknown>);
  await new Promise((resolve) => setImmediate(resolve))
  return run
}

describe('a streamed call of a tool', () => {
  const stream = (...pieces: string[]) => [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'refund', input: {} } },
    ...pieces.map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
  ]

  it('keeps the digits of a long id', async () => {
    const { content } = await record(stream('{"order_id": 1075053012', '60286111, "amount": 12.5}'))
    expect(content).toEqual([
      { type: 'tool_use', id: 't', name: 'refund', input: { order_id: '107505301260286111', amount: 12.5 } },
    ])
  })

  it('that ended early keeps its text', async () => {
    const { content } = await record(stream('{"order_id": 10750'))
    expect(content).toMatchObject([{ input: '{"order_id": 10750' }])
  })
})

describe('a stream', () => {
  const start = { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } }
  const block = (content_block: KVMap, index = 0) => ({ type: 'content_block_start', index, content_block })
  const delta = (value: KVMap, index = 0) => ({ type: 'content_block_delta', index, delta: value })

  it('has what its last event has beside the delta', async () => {
    const context_management = { applied_edits: [] }
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {}, context_management }
    expect(await record([start, end])).toMatchObject({ stop_reason: 'end_turn', context_management })
  })

  it('keeps the input that the start of a call has', async () => {
    const input = { query: 'a' }
    const called = block({ type: 'server_tool_use', id: 't', name: 'web_search', input })
    const { content } = await record([start, called, delta({ type: 'input_json_delta', partial_json: '' })])
    expect(content).toEqual([{ type: 'server_tool_use', id: 't', name: 'web_search', input }])
  })

  it('has its blocks in their order, however far their indexes are apart', async () => {
    const far = 4_000_000_000
    const { content } = await record([
      start,
      block({ type: 'text', text: '' }, far),
      block({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'text_delta', text: 'b' }, far),
      delta({ type: 'thinking_delta', thinking: 'a' }),
      delta({ type: 'signature_delta', signature: 's' }),
    ])
    expect(content).toEqual([
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'text', text: 'b' },
    ])
  })

  it('of many citations copies each a few times', async () => {
    const cite = (at: number) => delta({ type: 'citations_delta', citation: { cited_text: `${at}` } })
    const first = block({ type: 'text', text: '', citations: [] })
    const events = [start, first, ...Array.from({ length: 2000 }, (_, at) => cite(at))]
    const found: KVMap[] = []
    const count = await countIterated(async () => found.push(await record(events)))
    expect(count).toBeLessThan(200_000)
    expect(found).toMatchObject([{ content: [{ citations: { length: 2000 } }] }])
    expect(first.content_block).toEqual({ type: 'text', text: '', citations: [] })
  })
})

describe('a system prompt', () => {
  const system = async (given: unknown) => {
    const { inputs } = await recordCall({ model: 'm', system: given, messages: [] }, { type: 'message' })
    return inputs.messages
  }

  it('of texts is a text', async () => {
    const texts = ['a', 'b'].map((text) => ({ type: 'text', text }))
    expect(await system(texts)).toEqual([{ role: 'system', content: 'a\nb' }])
  })

  it('keeps the marks of the cache', async () => {
    const cached = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }]
    expect(await system(cached)).toEqual([{ role: 'system', content: cached }])
  })
})

describe('tokens of a message', () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 10 }

  it.each([
    ['batch', { batch: 100, batch_cache_read: 40 }, { batch: 10 }],
    ['priority', { priority: 100, priority_cache_read: 40 }, { priority: 10 }],
  ])('are those of its tier: %s', async (service_tier, input_token_details, output_token_details) => {
    expect((await record({ type: 'message', usage: { ...usage, service_tier } })).usage_metadata).toEqual({
      input_tokens: 140,
      output_tokens: 10,
      total_tokens: 150,
      input_token_details,
      output_token_details,
    })
  })

  it('have no class of a usual tier', async () => {
    expect((await record({ type: 'message', usage: { ...usage, service_tier: 'standard' } })).usage_metadata).toEqual({
      input_tokens: 140,
      output_tokens: 10,
      total_tokens: 150,
      input_token_details: { cache_read: 40 },
    })
  })
})

it('an event stream that fails has what arrived, and its error', async () => {
  const run: { outputs?: KVMap; error?: string } = {}
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise((_, fail) => (reject = fail))
  const emitter = Object.assign(new EventEmitter(), { finalMessage: () => promise })
  const client = {
    createRun: () => Promise.resolve(),
    updateRun: (_id: string, { outputs, error }: typeof run) => Promise.resolve(Object.assign(run, { outputs, error })),
  }
  const messages = { create: () => undefined, stream: (_body: object) => emitter }
  const anthropic = wrapAnthropic({ messages }, { tracingEnabled: true, client: client as never })
  expect(anthropic.messages.stream({ model: 'm' })).toBe(emitter)
  emitter.emit('streamEvent', { type: 'message_start', message: { type: 'message', usage: { input_tokens: 3 } } })
  emitter.emit('streamEvent', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hel' } })
  reject(new Error('Request was aborted.'))
  await expect.poll(() => run.error).toContain('aborted')
  expect(run.outputs).toMatchObject({
    content: [{ type: 'text', text: 'Hel' }],
    usage_metadata: { input_tokens: 3 },
  })
})
