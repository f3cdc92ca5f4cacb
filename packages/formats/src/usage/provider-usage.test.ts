import { describe, expect, it } from 'vitest'
import { readProviderUsage, toUsageMetadata } from './index.ts'

interface Case {
  /** Who reports it, and where it is documented or was seen. */
  readonly from: string
  readonly usage: object
  readonly input: number
  readonly output: number
  readonly total?: number
  readonly inputDetails?: Readonly<Record<string, number>>
  readonly outputDetails?: Readonly<Record<string, number>>
}

/** Objects of usage as providers, proxies and clients report them, and what was used. */
const CASES: readonly Case[] = [
  {
    from: 'OpenAI chat',
    usage: {
      prompt_tokens: 120,
      completion_tokens: 40,
      total_tokens: 160,
      prompt_tokens_details: { cached_tokens: 50, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 0, accepted_prediction_tokens: 0 },
    },
    input: 120,
    output: 40,
    inputDetails: { cache_read: 50 },
    outputDetails: { reasoning: 12 },
  },
  {
    from: 'OpenAI chat with audio',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 60,
      total_tokens: 160,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 80, text_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 50, text_tokens: 10 },
    },
    input: 100,
    output: 60,
    inputDetails: { audio: 80 },
    outputDetails: { audio: 50 },
  },
  {
    from: 'OpenAI responses',
    usage: {
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 160,
    },
    input: 120,
    output: 40,
    inputDetails: { cache_read: 50 },
    outputDetails: { reasoning: 12 },
  },
  {
    from: 'OpenAI embeddings',
    usage: { prompt_tokens: 8000, total_tokens: 8000 },
    input: 8000,
    output: 0,
  },
  {
    from: 'OpenAI images',
    usage: {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 40, text_tokens: 10 },
      output_tokens: 1056,
      total_tokens: 1106,
    },
    input: 50,
    output: 1056,
    inputDetails: { image: 40 },
  },
  {
    from: 'OpenAI realtime: cached audio and text',
    usage: {
      total_tokens: 140,
      input_tokens: 100,
      output_tokens: 40,
      input_token_details: {
        text_tokens: 40,
        audio_tokens: 60,
        image_tokens: 0,
        cached_tokens: 30,
        cached_tokens_details: { text_tokens: 10, audio_tokens: 20 },
      },
      output_token_details: { text_tokens: 10, audio_tokens: 30 },
    },
    input: 100,
    output: 40,
    inputDetails: { cache_read: 10, audio: 40, audio_cache_read: 20 },
    outputDetails: { audio: 30 },
  },
  {
    from: 'Anthropic',
    usage: {
      input_tokens: 70,
      output_tokens: 40,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 20,
      service_tier: 'standard',
    },
    input: 140,
    output: 40,
    inputDetails: { cache_read: 50, cache_creation: 20 },
  },
  {
    from: 'Anthropic: caches of five minutes and of an hour',
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 5000,
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 4000 },
    },
    input: 5010,
    output: 5,
    inputDetails: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 4000 },
  },
  {
    from: 'Anthropic without a cache',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    input: 10,
    output: 5,
  },
  {
    from: 'Gemini: thoughts beside the candidates',
    usage: { promptTokenCount: 100, candidatesTokenCount: 50, thoughtsTokenCount: 200, totalTokenCount: 350 },
    input: 100,
    output: 250,
    outputDetails: { reasoning: 200 },
  },
  {
    from: 'Gemini: a cache and audio by modality',
    usage: {
      promptTokenCount: 1000,
      cachedContentTokenCount: 300,
      candidatesTokenCount: 20,
      totalTokenCount: 1020,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 600 },
        { modality: 'AUDIO', tokenCount: 400 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 200 },
        { modality: 'AUDIO', tokenCount: 100 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
    },
    input: 1000,
    output: 20,
    inputDetails: { cache_read: 200, audio: 300, audio_cache_read: 100 },
  },
  {
    from: 'Gemini: results of tools beside the prompt',
    usage: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 40,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 5,
      totalTokenCount: 155,
    },
    input: 140,
    output: 15,
    outputDetails: { reasoning: 5 },
  },
  {
    from: 'Gemini in Python',
    usage: {
      prompt_token_count: 100,
      candidates_token_count: 50,
      thoughts_token_count: 200,
      cached_content_token_count: 30,
      total_token_count: 350,
    },
    input: 100,
    output: 250,
    inputDetails: { cache_read: 30 },
    outputDetails: { reasoning: 200 },
  },
  {
    from: 'Gemini: images that the model drew',
    usage: {
      promptTokenCount: 10,
      candidatesTokenCount: 1290,
      totalTokenCount: 1300,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    },
    input: 10,
    output: 1290,
    outputDetails: { image: 1290 },
  },
  {
    from: 'Bedrock Converse',
    usage: {
      inputTokens: 6,
      outputTokens: 12,
      totalTokens: 418,
      cacheReadInputTokens: 300,
      cacheWriteInputTokens: 100,
      cacheDetails: [
        { ttl: '5m', inputTokens: 40 },
        { ttl: '1h', inputTokens: 60 },
      ],
    },
    input: 406,
    output: 12,
    inputDetails: { cache_read: 300, ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
  },
  {
    from: 'Bedrock Converse: a cache that is smaller than the input',
    usage: { inputTokens: 500, outputTokens: 100, totalTokens: 1000, cacheReadInputTokens: 400 },
    input: 900,
    output: 100,
    inputDetails: { cache_read: 400 },
  },
  {
    from: 'LiteLLM: the names of Anthropic beside an input that includes the cache',
    usage: {
      prompt_tokens: 9800,
      completion_tokens: 50,
      total_tokens: 9850,
      prompt_tokens_details: { cached_tokens: 6600, cache_creation_tokens: 3100 },
      cache_read_input_tokens: 6600,
      cache_creation_input_tokens: 3100,
    },
    input: 9800,
    output: 50,
    inputDetails: { cache_read: 6600, cache_creation: 3100 },
  },
  {
    from: 'LiteLLM without a total',
    usage: { prompt_tokens: 9800, completion_tokens: 50, cache_read_input_tokens: 6600 },
    input: 9800,
    output: 50,
    inputDetails: { cache_read: 6600 },
  },
  {
    from: 'OpenRouter: a written cache',
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 10 },
      cost: 0.0042,
    },
    input: 1000,
    output: 50,
    inputDetails: { cache_read: 200, cache_creation: 300 },
    outputDetails: { reasoning: 10 },
  },
  {
    from: 'DeepSeek',
    usage: {
      prompt_tokens: 100,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
      completion_tokens: 20,
      total_tokens: 120,
      completion_tokens_details: { reasoning_tokens: 15 },
    },
    input: 100,
    output: 20,
    inputDetails: { cache_read: 64 },
    outputDetails: { reasoning: 15 },
  },
  {
    from: 'xAI: reasoning beside the completion',
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    input: 32,
    output: 103,
    inputDetails: { cache_read: 8 },
    outputDetails: { reasoning: 94 },
  },
  {
    from: 'Mistral',
    usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
    input: 12,
    output: 30,
  },
  {
    from: 'LangChain for JavaScript: llmOutput.tokenUsage',
    usage: { promptTokens: 9, completionTokens: 6, totalTokens: 15 },
    input: 9,
    output: 6,
  },
  {
    from: 'AI SDK 5',
    usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120, reasoningTokens: 8, cachedInputTokens: 60 },
    input: 100,
    output: 20,
    inputDetails: { cache_read: 60 },
    outputDetails: { reasoning: 8 },
  },
  {
    from: 'AI SDK 6',
    usage: {
      inputTokens: 100,
      inputTokenDetails: { noCacheTokens: 30, cacheReadTokens: 60, cacheWriteTokens: 10 },
      outputTokens: 20,
      outputTokenDetails: { textTokens: 12, reasoningTokens: 8 },
      totalTokens: 120,
    },
    input: 100,
    output: 20,
    inputDetails: { cache_read: 60, cache_creation: 10 },
    outputDetails: { reasoning: 8 },
  },
  {
    from: 'MLflow',
    usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
    input: 9,
    output: 3,
  },
]

describe('the usage of a provider', () => {
  it.each(CASES)('$from', ({ usage, input, output, total = input + output, inputDetails = {}, outputDetails = {} }) => {
    const found = readProviderUsage(usage)
    expect({ ...found, output: found?.output ?? 0 }).toEqual({ input, output, total, inputDetails, outputDetails })
  })

  it.each(CASES)('is the same when it was read before: $from', ({ usage }) => {
    const found = readProviderUsage(usage)!
    const again = readProviderUsage({ ...toUsageMetadata(found), input_token_details: {}, output_token_details: {} })!
    expect([again.input, again.output, again.total]).toEqual([found.input, found.output, found.total])
  })

  it('decides by the total where names mislead', () => {
    const cached = { input_tokens: 500, output_tokens: 100, cache_read_input_tokens: 400 }
    expect(readProviderUsage(cached)?.input).toBe(900)
    expect(readProviderUsage({ ...cached, total_tokens: 600 })?.input).toBe(500)
    expect(readProviderUsage({ ...cached, total_tokens: 1000 })?.input).toBe(900)
  })

  it('does not let a part be larger than its whole', () => {
    const cached = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cache_read_input_tokens: 100 }
    expect(readProviderUsage(cached)).toMatchObject({ input: 110, total: 115 })
  })

  it.each([
    [undefined],
    [null],
    ['prompt_tokens'],
    [[1]],
    [{}],
    [{ prompt_tokens: -1 }],
    [{ prompt_tokens: Number.NaN }],
    [{ prompt_tokens: 2 ** 60 }],
    [{ prompt_tokens: 'many' }],
    [{ prompt_tokens: { tokens: 3 } }],
    [JSON.parse('{"__proto__": {"prompt_tokens": 3}}')],
  ])('finds none in %j', (value) => {
    expect(readProviderUsage(value)).toBeUndefined()
  })

  it('reads a part of an object without end', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, { prompt_tokens: at }]))
    expect(readProviderUsage({ prompt_tokens: 3, ...wide })?.input).toBe(3)
  })
})
