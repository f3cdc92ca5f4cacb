import { describe, expect, it } from 'vitest'
import { computeCost, printMoney, readUsage, toMoney } from './usage.ts'

const METADATA = { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } }
const message = { kwargs: { usage_metadata: METADATA } }

describe('finding what a run used', () => {
  it.each([
    ['metadata of the run', { metadata: { usage_metadata: METADATA } }, {}],
    ['outputs', {}, { usage_metadata: METADATA }],
    ['a value of outputs', {}, { message: { usage_metadata: METADATA } }],
    ['a serialized message', {}, { message }],
    ['generations', {}, { generations: [[{ text: '', message }]] }],
    ['generations of plain messages', {}, { generations: [[{ message: { usage_metadata: METADATA } }]] }],
  ])('reads it from %s', (_where, extra, outputs) => {
    expect(readUsage(extra, outputs)).toMatchObject({
      promptTokens: 20,
      completionTokens: 10,
      totalTokens: 30,
      promptDetails: { cache_read: 5 },
    })
  })

  it.each([
    [
      'OpenAI chat',
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: { cached_tokens: 2 } },
      { promptTokens: 9, completionTokens: 4, totalTokens: 13, promptDetails: { cache_read: 2 } },
    ],
    [
      'OpenAI responses',
      { input_tokens: 9, output_tokens: 4, total_tokens: 13, output_tokens_details: { reasoning_tokens: 3 } },
      { promptTokens: 9, completionTokens: 4, totalTokens: 13, completionDetails: { reasoning: 3 } },
    ],
    [
      'Anthropic, whose cached tokens stand beside the others',
      { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 },
      {
        promptTokens: 117,
        completionTokens: 4,
        totalTokens: 121,
        promptDetails: { cache_read: 100, cache_creation: 7 },
      },
    ],
  ])('reads the usage of %s', (_provider, usage, expected) => {
    expect(readUsage({}, { usage })).toMatchObject(expected)
  })

  it('adds up the prompts of a batch', () => {
    const usage = readUsage({}, { generations: [[{ message }], [{ message }]] })
    expect(usage).toMatchObject({ promptTokens: 40, totalTokens: 60, promptDetails: { cache_read: 10 } })
  })

  it('finds nothing in prototypes, strings or lists', () => {
    expect(readUsage({ metadata: 'usage_metadata' }, { constructor: 1 })).toBeUndefined()
    expect(readUsage(null, [1])).toBeUndefined()
  })
})

describe('pricing usage', () => {
  const price = {
    id: 'p',
    prompt_cost: '0.000002',
    completion_cost: '0.000003',
    prompt_cost_details: { cache_read: '0.000001' },
    completion_cost_details: null,
  }
  const printed = (usage: object) => {
    const { prompt, completion, total } = computeCost(readUsage({}, { usage_metadata: usage })!, price)
    return [prompt, completion, total].map((amount) => (amount === undefined ? null : printMoney(amount)))
  }

  it('prices each class of tokens separately and none twice', () => {
    expect(printed(METADATA)).toEqual(['0.000035', '0.00003', '0.000065'])
  })

  it('prefers costs that the run reported', () => {
    expect(printed({ ...METADATA, input_cost: 0.1, output_cost: 0.2 })).toEqual(['0.1', '0.2', '0.3'])
    expect(printed({ total_cost: 0.5 })).toEqual([null, null, '0.5'])
    expect(printed({ input_cost_details: { text: 0.1, audio: '0.2' } })).toEqual(['0.3', null, '0.3'])
  })

  it('computes no cost without a price', () => {
    expect(computeCost(readUsage({}, { usage_metadata: METADATA })!, undefined).total).toBeUndefined()
  })

  it.each([
    [0.1, '0.1'],
    [7.5e-8, '0.000000075'],
    ['12', '12'],
    ['0.000000000000000001', '0.000000000000000001'],
    [0, '0'],
  ])('keeps %s as %s', (given, text) => {
    expect(printMoney(toMoney(given)!)).toBe(text)
  })

  it.each([[-1], ['x'], [Number.NaN], [null], [{}]])('does not take %s for money', (given) => {
    expect(toMoney(given)).toBeUndefined()
  })
})
