import type { ModelPrice } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  alignPrices,
  describePrice,
  groupPrices,
  listOtherPrices,
  splitSource,
  toReadablePattern,
} from './model-prices.ts'

const HOST = '^(?:[a-z0-9_-]+[./])*'

function aPrice(name: string, fields: Partial<ModelPrice> = {}): ModelPrice {
  return {
    id: `${name} ${fields.match_pattern} ${fields.start_time}`,
    name,
    match_pattern: `${HOST}${name}$`,
    match_path: ['model'],
    provider: null,
    start_time: null,
    prompt_cost: '0.0000025',
    completion_cost: '0.00001',
    prompt_cost_details: null,
    completion_cost_details: null,
    built_in: true,
    source: 'https://openai.com/api/pricing, as known in November 2025',
    ...fields,
  }
}

const versions = [
  aPrice('gpt-4o', { prompt_cost: '0.000005' }),
  aPrice('gpt-4o', { start_time: '2024-10-02T00:00:00.000000Z' }),
  aPrice('gpt-4o', { match_pattern: `${HOST}gpt-4o-2024-(08-06|11-20)$` }),
]

describe('prices by model', () => {
  it('are one row per model under its vendor, with the price of today first', () => {
    const prices = [
      ...versions,
      aPrice('o3'),
      aPrice('mine', { source: null, provider: 'acme' }),
      aPrice('x', { source: null }),
    ]
    expect(groupPrices(prices).map(({ name, models }) => [name, models.map((model) => model.name)])).toEqual([
      ['OpenAI', ['gpt-4o', 'o3']],
      ['acme', ['mine']],
      ['Other models', ['x']],
    ])
    const [model] = groupPrices(prices)[0]!.models
    expect(model?.prices.map((price) => describePrice(price, model))).toEqual([
      'from 2024-10-02',
      'before 2024-10-02',
      'for gpt-4o-2024-(08-06|11-20)',
    ])
  })

  it.each([
    ['4O', ['gpt-4o']],
    ['openai', ['gpt-4o', 'o3']],
    ['11-20', ['gpt-4o']],
    ['nothing', []],
  ])('are found by %s', (search, names) => {
    const found = groupPrices([...versions, aPrice('o3')], search)
    expect(found.flatMap(({ models }) => models.map(({ name }) => name))).toEqual(names)
  })

  it('show the price that is valid now before one that begins later', () => {
    const next = aPrice('gpt-4o', { start_time: '2027-01-01T00:00:00.000000Z' })
    const [model] = groupPrices([next, ...versions], '', Date.parse('2026-11-23T00:00:00Z'))[0]!.models
    expect(model?.prices.map(({ start_time }) => start_time?.slice(0, 4))).toEqual([
      '2024',
      undefined,
      undefined,
      '2027',
    ])
    expect(model && describePrice(next, model)).toBe('from 2027-01-01')
  })

  it('are found whole by the pattern of one price', () => {
    expect(groupPrices(versions, '11-20')[0]?.models[0]?.prices).toHaveLength(3)
  })

  it('keep models of the same name and different providers apart', () => {
    const prices = ['groq', 'together'].map((provider) => aPrice('llama', { provider, source: null }))
    expect(groupPrices(prices).flatMap(({ models }) => models.map(({ provider }) => provider))).toEqual([
      'groq',
      'together',
    ])
  })
})

describe('a price', () => {
  it('aligns with the others of its column', () => {
    expect(alignPrices(['0.0000025', '0.00001', undefined, '0.0000000375', '0'])).toEqual([
      { text: '$2.50', padding: '00' },
      { text: '$10.00', padding: '00' },
      null,
      { text: '$0.0375', padding: '' },
      { text: '$0.00', padding: '00' },
    ])
    expect(alignPrices([])).toEqual([])
  })

  it('has prices of other classes in words', () => {
    const price = aPrice('x', {
      prompt_cost_details: { cache_read: '0.000001', cache_creation: '0.00000375', over_200k: '0.000004' },
      completion_cost_details: { reasoning: '0.000012' },
    })
    expect(listOtherPrices(price)).toEqual(['cache writes $3.75', 'input over 200k $4', 'reasoning $12'])
    const tiers = aPrice('x', {
      prompt_cost_details: {
        flex_cache_read: '0.0000000625',
        ephemeral_1h_input_tokens_over_200k: '0.000012',
        ephemeral_1hr_input_tokens_over_200k: '0.000012',
      },
      completion_cost_details: { priority: '0.00002' },
    })
    expect(listOtherPrices(tiers)).toEqual([
      'flex cached input $0.0625',
      'cache writes for 1 hour over 200k $12',
      'output priority $20',
    ])
  })

  it('has its source as an address with words', () => {
    const url = 'https://platform.claude.com/docs/en/about-claude/pricing'
    const text = ', by LiteLLM 1.110.2, read on 2026-11-27'
    expect(splitSource(url + text)).toEqual({ url, text })
    expect(splitSource('a list on paper')).toEqual({ url: undefined, text: 'a list on paper' })
  })

  it('has a readable pattern', () => {
    expect(toReadablePattern('^(?:[a-z0-9_-]+[./])*gpt-3\\.5-turbo(-0125)?$')).toBe('gpt-3.5-turbo(-0125)?')
    expect(toReadablePattern('^custom-large$')).toBe('custom-large')
  })
})
