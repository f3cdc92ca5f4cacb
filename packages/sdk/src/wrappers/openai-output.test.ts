import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { mergeChatChunks, toOutputs } from './openai-output.ts'
import { countIterated } from './testing/count-iterated.ts'

/** The message of a stream whose chunks have these deltas. */
function merge(...deltas: KVMap[]): KVMap {
  const { choices } = mergeChatChunks(deltas.map((delta) => ({ id: 'c', choices: [{ index: 0, delta }] })))
  return (choices as KVMap[])[0]?.message as KVMap
}

const call = (fields: KVMap, name?: string, args?: string) => ({
  tool_calls: [
    { ...fields, function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) } },
  ],
})
const toCalls = ({ tool_calls }: KVMap) =>
  (tool_calls as { id?: string; function: KVMap }[]).map(({ id, function: { name, arguments: args } }) => [
    id,
    name,
    args,
  ])

describe('streamed calls of tools', () => {
  it.each<[string, KVMap[], unknown[]]>([
    [
      'in pieces',
      [
        call({ index: 0, id: 'a', type: 'function' }, 'search', ''),
        call({ index: 0 }, undefined, '{"q"'),
        call({ index: 0 }, undefined, ':1}'),
      ],
      [['a', 'search', '{"q":1}']],
    ],
    [
      'that are parallel',
      [
        call({ index: 1, id: 'b' }, 'second', '{'),
        call({ index: 0, id: 'a' }, 'first', '{'),
        call({ index: 1 }, undefined, '}'),
        call({ index: 0 }, undefined, '}'),
      ],
      [
        ['a', 'first', '{}'],
        ['b', 'second', '{}'],
      ],
    ],
    [
      'that share an index, each with an id',
      [
        call({ index: 0, id: 'a', type: 'function' }, 'search', '{"q":"one"}'),
        call({ index: 0, id: 'b', type: 'function' }, 'search', '{"q":"two"}'),
      ],
      [
        ['a', 'search', '{"q":"one"}'],
        ['b', 'search', '{"q":"two"}'],
      ],
    ],
    [
      'that share an index and come in pieces',
      [
        call({ index: 0, id: 'a' }, 'search', '{'),
        call({ index: 0 }, undefined, '}'),
        call({ index: 0, id: 'b' }, 'search', '{'),
        call({ index: 0 }, undefined, '"x":1}'),
      ],
      [
        ['a', 'search', '{}'],
        ['b', 'search', '{"x":1}'],
      ],
    ],
    [
      'that share an index and have no id',
      [call({ index: 0 }, 'search', '{}'), call({ index: 0 }, 'lookup', '{}')],
      [
        [undefined, 'search', '{}'],
        [undefined, 'lookup', '{}'],
      ],
    ],
    [
      'whose name is in each chunk',
      [
        call({ index: 0, id: 'a' }, 'lookup', ''),
        call({ index: 0, id: 'a' }, 'lookup', '{"a"'),
        call({ index: 0, id: '' }, 'lookup', ':1}'),
      ],
      [['a', 'lookup', '{"a":1}']],
    ],
    [
      'whose name comes in pieces',
      [call({ index: 0, id: 'a' }, 'get_'), call({ index: 0 }, 'weather'), call({ index: 0 }, '', '{}')],
      [['a', 'get_weather', '{}']],
    ],
    [
      'with a new id for each chunk',
      [call({ index: 0, id: 'a' }, 'search', ''), call({ index: 0, id: 'b' }, undefined, '{}')],
      [['a', 'search', '{}']],
    ],
    [
      'without an index',
      [
        call({ id: 'a' }, 'search', '{}'),
        call({ id: 'b' }, 'lookup', '{'),
        call({ id: 'b' }, undefined, '}'),
        call({ id: 'a' }, undefined, ' '),
      ],
      [
        ['a', 'search', '{} '],
        ['b', 'lookup', '{}'],
      ],
    ],
  ])('%s', (_, deltas, calls) => {
    const message = merge({ role: 'assistant', content: null }, ...deltas)
    expect(toCalls(message)).toEqual(calls)
    expect(JSON.stringify(message)).not.toContain('"index"')
  })

  it('keep the order of their members', () => {
    const message = merge(call({ index: 0, id: 'a', type: 'function' }, 'search', '{}'))
    expect(JSON.stringify(message)).toBe(
      '{"tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{}"}}]}',
    )
  })

  it('as one function, which older models have', () => {
    expect(
      merge({ function_call: { name: 'f', arguments: '{' } }, { function_call: { name: 'f', arguments: '}' } }),
    ).toEqual({
      function_call: { name: 'f', arguments: '{}' },
    })
  })
})

describe('streamed lists', () => {
  it('are joined by the index of their items', () => {
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const message = merge(
      { role: 'assistant', reasoning_details: [{ ...detail, text: 'I ' }] },
      { role: 'assistant', reasoning_details: [{ ...detail, text: 'think' }] },
      { reasoning_details: [{ ...detail, signature: 'abc' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', index: 0 }] },
      { content: 'ok' },
    )
    expect(message).toEqual({
      role: 'assistant',
      reasoning_details: [
        { ...detail, text: 'I think', signature: 'abc' },
        { type: 'reasoning.encrypted', data: 'xyz', index: 0 },
      ],
      content: 'ok',
    })
  })

  it('grow by items without an index', () => {
    const citation = (url: string) => ({ type: 'url_citation', url_citation: { url } })
    const message = merge({ annotations: [citation('http://one')] }, { annotations: [citation('http://two')] })
    expect(message.annotations).toEqual([citation('http://one'), citation('http://two')])
    expect(merge({ images: null }, { images: ['a'] }, { images: null }, { images: ['b'] }).images).toEqual(['a', 'b'])
  })
})

it('texts go on, and labels are repeated', () => {
  const message = merge(
    { role: 'assistant', content: 'a', audio: { id: 'x', data: 'AA', transcript: 'Hel' } },
    { role: 'assistant', content: 'b', audio: { id: 'x', data: 'BB', transcript: 'lo', expires_at: 7 } },
    { role: '', refusal: null },
  )
  expect(message).toEqual({
    role: 'assistant',
    content: 'ab',
    audio: { id: 'x', data: 'AABB', transcript: 'Hello', expires_at: 7 },
    refusal: null,
  })
})

describe('tokens of what OpenAI and the providers with its API return', () => {
  it.each<[string, KVMap, KVMap]>([
    [
      'images',
      { usage: { input_tokens: 50, input_tokens_details: { image_tokens: 40, text_tokens: 10 }, output_tokens: 1056 } },
      { input_tokens: 50, output_tokens: 1056, total_tokens: 1106, input_token_details: { image: 40 } },
    ],
    [
      'a batch',
      { service_tier: 'batch', usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
      {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        input_token_details: { batch: 10 },
        output_token_details: { batch: 5 },
      },
    ],
    [
      'xAI: reasoning beside the completion',
      {
        usage: {
          prompt_tokens: 32,
          completion_tokens: 9,
          total_tokens: 135,
          completion_tokens_details: { reasoning_tokens: 94 },
        },
      },
      { input_tokens: 32, output_tokens: 103, total_tokens: 135, output_token_details: { reasoning: 94 } },
    ],
    [
      'DeepSeek',
      { usage: { prompt_tokens: 100, prompt_cache_hit_tokens: 64, completion_tokens: 20, total_tokens: 120 } },
      { input_tokens: 100, output_tokens: 20, total_tokens: 120, input_token_details: { cache_read: 64 } },
    ],
    [
      'OpenRouter: a written cache',
      {
        usage: {
          prompt_tokens: 1000,
          completion_tokens: 50,
          total_tokens: 1050,
          prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 300 },
        },
      },
      {
        input_tokens: 1000,
        output_tokens: 50,
        total_tokens: 1050,
        input_token_details: { cache_read: 200, cache_creation: 300 },
      },
    ],
  ])('%s', (_, outputs, usage_metadata) => {
    const { usage, ...rest } = toOutputs(outputs)
    expect(rest).toEqual({ ...outputs, usage: undefined, usage_metadata })
    expect(usage).toBeUndefined()
  })

  it('stay beside a cost that the provider reports', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00042 }
    expect(toOutputs({ usage })).toEqual({
      usage,
      usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    })
  })

  it('are left as they are where there are none', () => {
    const outputs = { text: 'a', usage: { type: 'duration', seconds: 9 } }
    expect(toOutputs(outputs)).toEqual(outputs)
  })
})

describe('what several chunks have', () => {
  it('the id and model of the first chunk that has them: that of Azure has the results of its filter only', () => {
    const filter = { prompt_filter_results: [{ prompt_index: 0 }] }
    const about = { id: 'c', model: 'gpt-5', created: 7 }
    expect(
      mergeChatChunks([
        { id: '', model: '', created: 0, object: '', choices: [], ...filter },
        { ...about, choices: [{ index: 0, delta: { content: 'a' } }] },
        { id: 'other', model: '', created: 0, choices: [] },
      ]),
    ).toMatchObject({ ...about, ...filter })
  })

  it('usage of Groq, in an object that the first chunk began, and the tier that answered', () => {
    const usage = { prompt_tokens: 18, completion_tokens: 9, total_tokens: 27 }
    const merged = mergeChatChunks([
      { id: 'c', service_tier: 'auto', x_groq: { id: 'req' }, choices: [{ index: 0, delta: { content: 'a' } }] },
      { id: 'c', service_tier: 'flex', x_groq: { usage }, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ])
    expect(merged).toMatchObject({ service_tier: 'flex', x_groq: { id: 'req', usage } })
    expect(toOutputs(merged).usage_metadata).toMatchObject({ total_tokens: 27, input_token_details: { flex: 18 } })
  })

  it('usage of Moonshot, in the choice', () => {
    const usage = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32 }
    const merged = mergeChatChunks([
      { choices: [{ index: 0, delta: { content: 'a' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] },
    ])
    expect(toOutputs(merged).usage_metadata).toMatchObject({ total_tokens: 32 })
  })

  it('lists and objects of a choice: log probabilities, ids of tokens, filters', () => {
    const logprob = (token: string) => ({ token, logprob: -0.1, top_logprobs: [] })
    const { choices } = mergeChatChunks([
      {
        choices: [
          {
            index: 0,
            delta: { content: 'a' },
            logprobs: { content: [logprob('a')], refusal: null },
            token_ids: [1],
            content_filter_results: { hate: { filtered: false } },
          },
        ],
      },
      {
        choices: [
          {
            index: 0,
            delta: { content: 'b' },
            logprobs: { content: [logprob('b')], refusal: null },
            token_ids: [2, 3],
            content_filter_results: { violence: { filtered: false } },
          },
        ],
      },
      { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] },
    ])
    expect(choices).toEqual([
      {
        index: 0,
        message: { content: 'ab' },
        logprobs: { content: [logprob('a'), logprob('b')], refusal: null },
        token_ids: [1, 2, 3],
        content_filter_results: { hate: { filtered: false }, violence: { filtered: false } },
        finish_reason: 'stop',
      },
    ])
  })

  it('sound, each piece encoded by itself', () => {
    const piece = (text: string) => ({ audio: { data: btoa(text) } })
    const message = merge({ audio: { id: 'a', transcript: 'Hi' } }, piece('abcd'), piece('efg'), piece('h'))
    expect(message.audio).toMatchObject({ id: 'a', transcript: 'Hi', data: btoa('abcdefgh') })
    expect(merge({ audio: { data: 'not base64=' } }, { audio: { data: 'x' } })).toEqual({
      audio: { data: 'not base64=x' },
    })
  })
})

describe('content that is a list in one chunk and a text in another', () => {
  const thinking = (text: string) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })

  it('is the list, with the text as its last block', () => {
    expect(
      merge(
        { role: 'assistant', content: '' },
        thinking('Two '),
        thinking('and two'),
        { content: '' },
        { content: 'Answer ' },
        { content: 'is 4' },
      ),
    ).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Two and two' }] },
        { type: 'text', text: 'Answer is 4' },
      ],
    })
  })

  it('begins with the text that came first', () => {
    const image = { type: 'image_url', image_url: 'https://example.com/a.png' }
    expect(merge({ content: 'See: ' }, { content: [image] }, { content: 'done' }, { content: null }).content).toEqual([
      { type: 'text', text: 'See: ' },
      image,
      { type: 'text', text: 'done' },
    ])
  })

  it('does not change the chunks', () => {
    const chunks = [thinking('a'), thinking('b'), { content: 'c' }, { content: [{ type: 'text', text: 'd' }] }]
    const before = JSON.stringify(chunks)
    expect(merge(...chunks).content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'ab' }] },
      { type: 'text', text: 'cd' },
    ])
    expect(JSON.stringify(chunks)).toBe(before)
  })
})

describe('a long stream', () => {
  const LENGTH = 1000
  const many = (make: (at: number) => KVMap) => Array.from({ length: LENGTH }, (_, at) => make(at))
  const logprob = { token: 'a', logprob: -0.1, top_logprobs: [] }

  it.each<[string, KVMap[]]>([
    [
      'of log probabilities and ids of tokens',
      many(() => ({ delta: { content: 'a' }, logprobs: { content: [logprob], refusal: null }, token_ids: [1] })),
    ],
    ['of annotations', many((at) => ({ delta: { annotations: [{ url: `${at}` }] } }))],
    ['of blocks', many((at) => ({ delta: { content: [{ type: 'image_url', image_url: `${at}` }] } }))],
    ['of pieces of one call', many(() => ({ delta: { tool_calls: [{ index: 0, function: { arguments: 'a' } }] } }))],
    ['of calls', many((index) => ({ delta: { tool_calls: [{ index, id: `${index}`, function: { name: 'f' } }] } }))],
  ])('%s copies each item a few times', async (_, parts) => {
    const chunks = parts.map((part) => ({ choices: [{ index: 0, ...part }] }))
    expect(await countIterated(() => mergeChatChunks(chunks))).toBeLessThan(20 * LENGTH)
  })

  it('of sound is decoded once', () => {
    const piece = btoa('x'.repeat(100))
    const { atob: decode } = globalThis
    let decoded = 0
    globalThis.atob = (text) => {
      decoded += text.length
      return decode(text)
    }
    try {
      const message = merge(...many(() => ({ audio: { data: piece } })))
      expect((message.audio as KVMap).data).toBe(btoa('x'.repeat(100 * LENGTH)))
    } finally {
      globalThis.atob = decode
    }
    expect(decoded).toBeLessThan(2 * LENGTH * piece.length)
  })
})
