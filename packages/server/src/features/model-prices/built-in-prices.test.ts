import { readModelNames } from '@touchstone/formats/models'
import { describe, expect, it } from 'vitest'
import { openBuiltInPrices } from './built-in-prices.ts'

const book = openBuiltInPrices()
const NOTHING: ReadonlySet<string> = new Set()

function find(model: string, provider?: string, { covered = NOTHING, day = '2026-11-27' } = {}) {
  const found = book.find(readModelNames(model, provider), { provider, covered }).flat()
  return found.find(({ start_time }) => start_time === null || start_time <= `${day}T23`)
}

/** Dollars per million tokens. */
const perMillion = (model: string, provider?: string) => {
  const price = find(model, provider)
  return price && [price.prompt_cost, price.completion_cost].map((amount) => +(Number(amount) * 1e6).toFixed(6))
}

describe('names of models that have a price', () => {
  it.each<[string, string | undefined, number, number]>([
    // Of this year.
    ['gpt-5.2', 'openai', 1.75, 14],
    ['gpt-5.2-2025-12-11', 'openai', 1.75, 14],
    ['gpt-5.4-mini', 'openai', 0.75, 4.5],
    ['claude-opus-4-6', 'anthropic', 5, 25],
    ['claude-sonnet-4-6', 'anthropic', 3, 15],
    ['claude-sonnet-4-6-20260217', 'anthropic', 3, 15],
    ['gemini-3.1-pro-preview', 'google_genai', 2, 12],
    ['gemini-3-flash', 'google_genai', 0.5, 3],
    ['gemini-3-flash-preview', 'google_genai', 0.5, 3],
    ['gpt-image-1', 'openai', 5, 40],
    ['grok-4.3', 'xai', 1.25, 2.5],
    // OpenRouter.
    ['anthropic/claude-sonnet-4.5', undefined, 3, 15],
    ['anthropic/claude-sonnet-4.6', 'openrouter', 3, 15],
    ['anthropic/claude-3.7-sonnet:thinking', 'openrouter', 3, 15],
    ['claude-3.7-sonnet:thinking', undefined, 3, 15],
    ['openai/gpt-4o:extended', 'openrouter', 2.5, 10],
    ['openrouter/openai/gpt-5.2', undefined, 1.75, 14],
    ['google/gemini-2.5-pro', 'openrouter', 1.25, 10],
    ['x-ai/grok-4.3', 'openrouter', 1.25, 2.5],
    // Bedrock.
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon_bedrock', 3, 15],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', undefined, 3.3, 16.5],
    [
      'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      undefined,
      3.3,
      16.5,
    ],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-5-haiku-20241022-v1:0', undefined, 0.8, 4],
    ['bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0', undefined, 15, 75],
    ['us.meta.llama3-3-70b-instruct-v1:0', 'bedrock', 0.72, 0.72],
    // Vertex.
    ['claude-sonnet-4-5@20250929', 'google_vertexai', 3, 15],
    ['claude-opus-4-6@default', 'gcp.vertex_ai', 5, 25],
    ['publishers/anthropic/models/claude-opus-4-6@default', 'vertex_ai', 5, 25],
    ['projects/p/locations/us-east5/publishers/google/models/gemini-2.5-pro', 'vertex_ai', 1.25, 10],
    // Azure.
    ['gpt-5', 'azure', 1.25, 10],
    ['azure/gpt-4o-2024-08-06', undefined, 2.5, 10],
    ['gpt-35-turbo', 'azure_openai', 0.5, 1.5],
    ['gpt-4-1-mini', 'azure', 0.4, 1.6],
    // Databricks, fine-tunes, and open models where their host is known.
    ['databricks-claude-sonnet-4', undefined, 2.99999, 15.00002],
    ['databricks-gpt-5-1', 'databricks', 1.24999, 9.99999],
    ['ft:gpt-4o-mini-2024-07-18:my-org:a-name:AbC123', 'openai', 0.3, 1.2],
    ['ft:gpt-4o-mini:my-org::AbC123', 'openai', 0.3, 1.2],
    ['deepseek-chat', 'openai', 0.28, 0.42],
    ['groq/openai/gpt-oss-120b', undefined, 0.15, 0.6],
    ['openai/gpt-oss-120b', 'groq', 0.15, 0.6],
    ['accounts/fireworks/models/deepseek-r1', undefined, 3, 8],
    ['text-embedding-3-small', 'openai', 0.02, 0],
  ])('%s of %s', (model, provider, prompt, completion) => {
    expect(perMillion(model, provider)).toEqual([prompt, completion])
  })

  it.each([
    ['a name of a deployment', 'my-gpt', 'azure'],
    ['a longer name', 'gpt-4o-mini-but-mine', 'openai'],
    ['a name that only ends like one', 'not-gpt-4o', 'openai'],
    ['a variant that is free', 'openai/gpt-5.2:free', 'openrouter'],
    ['an unknown variant', 'gpt-5.2:mine', 'openai'],
    ['an open model of an unknown host', 'openai/gpt-oss-120b', undefined],
    ['an open model of a reseller without a list', 'deepseek/deepseek-r1', 'openrouter'],
    ['an open model whose maker is named like a client does it', 'deepseek/deepseek-r1', 'openai'],
    ['a model of llama without a host', 'meta-llama/llama-3.3-70b-instruct', undefined],
    ['a model of this machine', 'mistral-small', 'ollama'],
    ['a model of this machine by its path', 'ollama/mistral-small', undefined],
    ['a tag of a model of this machine', 'llama3:8b', undefined],
    ['a fine-tuned model whose versions cost differently', 'ft:gpt-4o-nope:my-org::1', 'openai'],
    ['a fine-tuned model of Azure', 'gpt-4o-mini-2024-07-18.ft-0123456789', 'azure'],
    ['a profile of an application', 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3', 'bedrock'],
    ['a model of one’s own', 'arn:aws:bedrock:us-east-1:1:custom-model/amazon.nova-lite-v1:0/abc', 'bedrock'],
    ['an endpoint with a number', 'projects/p/locations/l/endpoints/123456', 'vertex_ai'],
    ['the maker alone', 'anthropic', 'anthropic'],
    ['the family alone', 'claude', 'anthropic'],
    ['the family of Google', 'gemini', undefined],
    ['nothing', '', undefined],
    ['a text', 'what is the price of gpt-5.2', undefined],
    ['a long text', `${'a/'.repeat(400)}gpt-5.2`, undefined],
  ])('not %s', (_, model, provider) => {
    expect(find(model, provider)).toBeUndefined()
  })
})

describe('classes of tokens of built-in prices', () => {
  it.each<[string, string, Record<string, number>]>([
    [
      'gpt-5',
      'openai',
      { cache_read: 0.125, flex: 0.625, flex_cache_read: 0.0625, priority_cache_read: 0.25, batch: 0.625 },
    ],
    ['gemini-2.5-pro', 'google', { over_200k: 2.5, cache_read_over_200k: 0.25, flex: 0.625, priority_over_200k: 4.5 }],
    [
      'claude-sonnet-4-5',
      'anthropic',
      { over_200k: 6, ephemeral_1h_input_tokens: 6, cache_creation: 3.75, batch: 1.5 },
    ],
    ['gpt-realtime', 'openai', { audio: 32, cache_read_audio: 0.4, cache_read_image: 0.5, image: 5 }],
    ['gpt-image-1', 'openai', { image: 10, cache_read: 1.25, cache_read_image: 2.5 }],
    ['gpt-5.5', 'openai', { over_272k: 10 }],
  ])('%s', (model, provider, expected) => {
    const classes = Object.entries(find(model, provider)?.prompt_cost_details ?? {})
    const amounts = Object.fromEntries(classes.map(([name, amount]) => [name, +(Number(amount) * 1e6).toFixed(6)]))
    expect(amounts).toMatchObject(expected)
  })
})

describe('built-in prices that workspaces overrode', () => {
  it('keep their ids', () => {
    const ids = ['gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'o3'].map((model) => find(model)?.id)
    expect(ids).toEqual(KEPT_IDS)
  })

  it('hide the more exact lines of the table for the same model', () => {
    const price = find('gpt-5')
    expect(price?.prompt_cost_details).toMatchObject({ flex: '0.000000625' })
    const covered = new Set([price?.id ?? ''])
    expect(find('gpt-5', 'openai', { covered })).toBeUndefined()
    expect(find('gpt-5-codex', 'openai', { covered })).toBeUndefined()
  })

  it('hold until the table knows another price', () => {
    const at = (day: string) => find('mistral-large-latest', 'mistralai', { day })?.prompt_cost
    expect([at('2025-11-30'), at('2025-12-02')]).toEqual(['0.000002', '0.0000005'])
  })

  it('name their source', () => {
    expect(find('gpt-5.2')?.source).toMatch(
      /^https:\/\/developers\.openai\.com\S+, by LiteLLM [\d.]+, read on 20\d\d-\d\d-\d\d$/,
    )
  })
})

/** Of the first version that had these prices. */
const KEPT_IDS = [
  '14f7fe4f-6c5e-889b-82ea-51c5302e7246',
  'e4f84ff1-a3d9-8435-8904-e8be26125181',
  '0bab0a42-28f2-8dda-85a7-fa87aef2cf26',
  'f37f3812-0c29-862f-8d2c-c1b9a3b85410',
]
