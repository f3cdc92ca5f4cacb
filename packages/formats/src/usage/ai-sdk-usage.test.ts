import { describe, expect, it } from 'vitest'
import { readAiSdkUsage } from './ai-sdk-usage.ts'
import { toUsageMetadata } from './token-usage.ts'

const V5 = { inputTokens: 100, outputTokens: 10, totalTokens: 110 }
const V6 = {
  inputTokens: { total: 100, noCache: 60, cacheRead: 40 },
  outputTokens: { total: 10, text: 6, reasoning: 4 },
}

const CASES: [name: string, given: { usage?: unknown; providerMetadata?: unknown }, expected: object][] = [
  ['version 5', { usage: V5 }, { input_tokens: 100, output_tokens: 10, total_tokens: 110 }],
  [
    'version 5 with parts',
    { usage: { ...V5, cachedInputTokens: 40, reasoningTokens: 4 } },
    {
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      input_token_details: { cache_read: 40 },
      output_token_details: { reasoning: 4 },
    },
  ],
  [
    'version 5 with Anthropic, which does not count the cache in the input',
    { usage: { ...V5, cachedInputTokens: 40 }, providerMetadata: { anthropic: { cacheCreationInputTokens: 20 } } },
    {
      input_tokens: 160,
      output_tokens: 10,
      total_tokens: 170,
      input_token_details: { cache_read: 40, cache_creation: 20 },
    },
  ],
  [
    'versions 6 and 7',
    { usage: V6 },
    {
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      input_token_details: { cache_read: 40 },
      output_token_details: { reasoning: 4 },
    },
  ],
  [
    'versions 6 and 7 with Anthropic, whose input includes the cache',
    {
      usage: { ...V6, inputTokens: { total: 100, cacheRead: 40, cacheWrite: 20 } },
      providerMetadata: { anthropic: { usage: { cache_creation: { ephemeral_1h_input_tokens: 15 } } } },
    },
    {
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      input_token_details: { cache_read: 40, ephemeral_5m_input_tokens: 5, ephemeral_1hr_input_tokens: 15 },
      output_token_details: { reasoning: 4 },
    },
  ],
  [
    'a cache that is larger than the input, which therefore does not include it',
    { usage: { inputTokens: { total: 10, cacheRead: 40 }, outputTokens: { total: 1 } } },
    { input_tokens: 50, output_tokens: 1, total_tokens: 51, input_token_details: { cache_read: 40 } },
  ],
  [
    'a tier of OpenAI with a price of its own',
    { usage: V6, providerMetadata: { openai: { serviceTier: 'flex' } } },
    {
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
      input_token_details: { flex_cache_read: 40, flex: 60 },
      output_token_details: { flex_reasoning: 4, flex: 6 },
    },
  ],
]

describe('the usage of a call of the AI SDK', () => {
  it.each(CASES)('is read from %s', (_, given, expected) => {
    expect(toUsageMetadata(readAiSdkUsage(given.usage, given.providerMetadata)!)).toEqual(expected)
  })

  it('is absent when the provider reports none', () => {
    expect(readAiSdkUsage(undefined, undefined)).toBeUndefined()
    expect(readAiSdkUsage({ inputTokens: {}, outputTokens: {} }, {})).toBeUndefined()
  })
})
