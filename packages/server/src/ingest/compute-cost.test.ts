import { describe, expect, it } from 'vitest'
import { computeCost } from './compute-cost.ts'
import { printMoney } from './money.ts'
import { readUsage } from './usage.ts'

const METADATA = { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } }

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

  it('takes the reported cost of a call with fees for more than tokens, and no other', () => {
    const total = (usage: object, outputs: object = {}) => {
      const cost = computeCost(
        readUsage({}, { ...outputs, usage: { prompt_tokens: 20, completion_tokens: 10, ...usage } })!,
        price,
      )
      return [printMoney(cost.total!), cost.priceId]
    }
    expect(total({})).toEqual(['0.00007', 'p'])
    expect(total({ cost: 0.5 })).toEqual(['0.00007', 'p'])
    expect(total({ cost: 0.5, server_tool_use: { web_search_requests: 1 } })).toEqual(['0.5', undefined])
    expect(total({ cost: 0.5 }, { output: [{ type: 'web_search_call' }] })).toEqual(['0.5', undefined])
    expect(total({ cost: { total_cost: 0.005, request_cost: 0.004 } })).toEqual(['0.005', undefined])
    // Less than the tokens cost: the fee of a proxy, for example.
    expect(total({ cost: 0.00001, server_tool_use: { web_search_requests: 1 } })).toEqual(['0.00007', 'p'])
    expect(total({ server_tool_use: { web_search_requests: 1 } })).toEqual(['0.00007', 'p'])
    const given = { usage_metadata: { ...METADATA, total_cost: 0.25 }, usage: { cost: 0.5, num_search_queries: 3 } }
    expect(printMoney(computeCost(readUsage({}, given)!, price).total!)).toBe('0.25')
  })

  it('computes no cost without a price', () => {
    expect(computeCost(readUsage({}, { usage_metadata: METADATA })!, undefined).total).toBeUndefined()
  })

  it('takes the sixth decimal of an amount that Python printed', () => {
    expect(printed({ input_tokens: 1, output_tokens: 1, total_cost: '3.5e-6' })).toEqual([null, null, '0.0000035'])
  })
})

/** US dollars per million tokens. */
type PerMillion = Readonly<Record<string, number>>

const perToken = (dollars: number) => `${dollars}e-6`
const pricesOf = (prices: PerMillion) =>
  Object.fromEntries(Object.entries(prices).map(([name, dollars]) => [name, perToken(dollars)]))

function priceIt(
  input: [number, Record<string, number>?],
  output: [number, Record<string, number>?],
  prices: { input: PerMillion; output: PerMillion },
) {
  const { base: prompt = 0, ...promptClasses } = prices.input
  const { base: completion = 0, ...completionClasses } = prices.output
  const usage = {
    promptTokens: input[0],
    completionTokens: output[0],
    totalTokens: input[0] + output[0],
    promptDetails: input[1] ?? {},
    completionDetails: output[1] ?? {},
    given: {},
  }
  const cost = computeCost(usage, {
    id: 'p',
    prompt_cost: perToken(prompt),
    completion_cost: perToken(completion),
    prompt_cost_details: pricesOf(promptClasses),
    completion_cost_details: pricesOf(completionClasses),
  })
  return [cost.prompt, cost.completion].map((amount) => printMoney(amount ?? -1n))
}

const GPT_5 = {
  input: {
    base: 1.25,
    cache_read: 0.125,
    flex: 0.625,
    flex_cache_read: 0.0625,
    priority: 2.5,
    priority_cache_read: 0.25,
  },
  output: { base: 10, flex: 5, priority: 20 },
}
const SONNET = {
  input: {
    base: 3,
    cache_read: 0.3,
    cache_creation: 3.75,
    ephemeral_5m_input_tokens: 3.75,
    ephemeral_1h_input_tokens: 6,
    over_200k: 6,
    cache_read_over_200k: 0.6,
    cache_creation_over_200k: 7.5,
  },
  output: { base: 15, over_200k: 22.5 },
}
const GEMINI = {
  input: { base: 1.25, cache_read: 0.125, over_200k: 2.5, cache_read_over_200k: 0.25 },
  output: { base: 10, over_200k: 15 },
}

describe('pricing service tiers', () => {
  it('takes the prices of the tier', () => {
    const flex = priceIt([1000, { flex: 200, flex_cache_read: 800 }], [500, { flex: 200, flex_reasoning: 300 }], GPT_5)
    expect(flex).toEqual(['0.000175', '0.0025']) // 0.002675
    const priority = priceIt(
      [1000, { priority: 200, priority_cache_read: 800 }],
      [500, { priority: 200, priority_reasoning: 300 }],
      GPT_5,
    )
    expect(priority).toEqual(['0.0007', '0.01']) // 0.0107
  })

  it.each([
    ['the cache at the rate of the tier', { base: 1.25, cache_read: 0.125, flex: 0.625 }, '0.000175'],
    ['the cache, where no tier is known', { base: 1.25, cache_read: 0.125 }, '0.00035'],
    ['the tier, where no cache is known', { base: 1.25, flex: 0.625 }, '0.000625'],
    ['the base, where nothing is known', { base: 1.25 }, '0.00125'],
  ])('without a price of the cache of a tier, takes %s', (_, input, cost) => {
    const usage: [number, Record<string, number>] = [1000, { flex: 200, flex_cache_read: 800 }]
    expect(priceIt(usage, [0], { input, output: { base: 10 } })[0]).toBe(cost)
  })

  it('pays reasoning of a tier once, at the rate of the tier', () => {
    const output = { base: 10, reasoning: 12, batch: 5 }
    expect(priceIt([0], [500, { batch: 200, batch_reasoning: 300 }], { input: { base: 1 }, output })[1]).toBe('0.0028')
  })

  it('knows the tier of all tokens from the classes of one side', () => {
    expect(priceIt([1000, { flex: 1000 }], [500, { reasoning: 300 }], GPT_5)).toEqual(['0.000625', '0.0025'])
    expect(priceIt([1000, { flex_cache_read: 800 }], [0], GPT_5)[0]).toBe('0.000175')
  })

  it('pays cached tokens that are also counted for the tier once', () => {
    expect(priceIt([1000, { flex: 1000, flex_cache_read: 800 }], [0], GPT_5)[0]).toBe('0.000175')
    expect(priceIt([1000, { flex: 1000, cache_read: 800 }], [0], GPT_5)[0]).toBe('0.000175')
  })

  it('keeps requests of several tiers apart in a sum', () => {
    const details = { cache_read: 100, flex: 200, flex_cache_read: 100 }
    // 600 × 1.25 + 100 × 0.125 + 200 × 0.625 + 100 × 0.0625
    expect(priceIt([1000, details], [0], GPT_5)[0]).toBe('0.00089375')
  })
})

describe('pricing long prompts', () => {
  it('takes the higher prices from the tokens of the request', () => {
    expect(priceIt([250_000], [1000], GEMINI)).toEqual(['0.625', '0.015']) // 0.64
    expect(priceIt([200_000], [1000], GEMINI)).toEqual(['0.25', '0.01'])
    expect(priceIt([250_000], [1000], SONNET)).toEqual(['1.5', '0.0225']) // 1.5225
  })

  it('is the same when the client marks the tokens', () => {
    expect(priceIt([250_000, { over_200k: 250_000 }], [1000, { over_200k: 1000 }], GEMINI)).toEqual(['0.625', '0.015'])
    const cached = { over_200k: 250_000, cache_read: 100_000 }
    expect(priceIt([250_000, cached], [0], GEMINI)[0]).toBe('0.4')
    expect(priceIt([250_000, { over_200k: 150_000, cache_read_over_200k: 100_000 }], [0], GEMINI)[0]).toBe('0.4')
  })

  it('raises classes without a price above the threshold as the others', () => {
    // 10 × 6 + 250,000 × 2 × 6
    expect(priceIt([250_010, { ephemeral_1h_input_tokens: 250_000 }], [0], SONNET)[0]).toBe('3.00006')
  })

  it('takes the highest of several thresholds, and those of a tier', () => {
    const input = { base: 1, over_32k: 2, over_128k: 3, flex: 0.5, flex_over_128k: 1.4 }
    const at = (tokens: number, details = {}) => priceIt([tokens, details], [0], { input, output: { base: 1 } })[0]
    expect([at(32_000), at(100_000), at(200_000)]).toEqual(['0.032', '0.2', '0.6'])
    expect(at(200_000, { flex: 200_000 })).toBe('0.28')
    expect(at(100_000, { flex: 100_000 })).toBe('0.1')
  })
})

describe('pricing cache writes', () => {
  it.each([
    [
      'as parts of all writes',
      { cache_creation: 5000, ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 4000 },
    ],
    ['alone', { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 4000 }],
    ['beside what has no lifetime', { cache_creation: 1000, ephemeral_1h_input_tokens: 4000 }],
    ['by another name', { cache_creation: 1000, ephemeral_1hr_input_tokens: 4000 }],
  ])('for an hour and for five minutes, counted %s', (_, details) => {
    expect(priceIt([5010, details], [0], SONNET)[0]).toBe('0.02778')
    expect(priceIt([50_010, details], [0], SONNET)[0]).toBe('0.16278')
  })

  it('takes the price of other writes where a lifetime has none', () => {
    const input = { base: 3, cache_creation: 3.75 }
    expect(priceIt([100, { ephemeral_1h_input_tokens: 100 }], [0], { input, output: { base: 1 } })[0]).toBe('0.000375')
  })
})

describe('pricing sound and pictures', () => {
  const input = { base: 4, audio: 32, cache_read: 0.4, cache_read_image: 0.5, image: 5 }
  const cost = (details: Record<string, number>) => priceIt([1000, details], [0], { input, output: { base: 1 } })[0]

  it('takes cached sound from the cache before it is sound', () => {
    expect(cost({ audio: 100, cache_read_audio: 50 })).toBe('0.00662') // 850 × 4 + 100 × 32 + 50 × 0.4
    expect(cost({ audio: 900, audio_cache_read: 900 })).toBe('0.00076') // 100 × 4 + 900 × 0.4
    expect(cost({ text: 900, audio: 100, cache_read: 800 })).toBe('0.00392') // 100 × 4 + 100 × 32 + 800 × 0.4
  })

  it('takes the price of a modality of the cache where it has one', () => {
    expect(cost({ image: 500, cache_read_image: 400 })).toBe('0.0031')
  })

  it('takes a price of a class that only the user knows', () => {
    const own = { base: 1, of_mine: 7 }
    expect(priceIt([10, { of_mine: 5, of_others: 5 }], [0], { input: own, output: { base: 1 } })[0]).toBe('0.00004')
  })

  it('never pays more tokens than there are', () => {
    expect(cost({ cache_read: 900, audio: 900 })).toBe('0.00356') // 900 × 0.4 + 100 × 32
  })
})
