import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { wrapAnthropic } from './anthropic.ts'

const config = (take: (outputs: KVMap) => void) => ({
  tracingEnabled: true,
  client: {
    createRun: () => Promise.resolve(),
    updateRun: (_id: string, run: { outputs?: KVMap }) => Promise.resolve(take(run.outputs ?? {})),
  } as never,
})

/** The outputs that are recorded of a message, or of a stream with these events. */
async function record(answer: KVMap | KVMap[]): Promise<KVMap> {
  let outputs: KVMap = {}
  const create = (_body: object): Promise<unknown> =>
    Promise.resolve(
      Array.isArray(answer)
        ? (async function* () {
            yield* answer
          })()
        : answer,
    )
  const client = wrapAnthropic(
    { messages: { create } } as never,
    config((found) => (outputs = found)),
  ) as {
    messages: { create: typeof create }
  }
  const result = await client.messages.create({ model: 'claude-sonnet-4-5', messages: [] })
  if (Array.isArray(answer)) for await (const _ of result as AsyncIterable<unknown>);
  await new Promise((resolve) => setImmediate(resolve))
  return outputs
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
