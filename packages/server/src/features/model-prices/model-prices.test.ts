import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { openPriceBook, type PriceBook } from './index.ts'
import { listedPrices, perToken } from './listed-prices.ts'
import { compilePattern } from './price-book.ts'

let app: StartedApp
let tenantId: string
let book: PriceBook
beforeAll(async () => {
  app = await startApp()
  tenantId = (await app.call(contract.workspaces.settings)).body.id
  book = await openPriceBook(app.deps)
})
afterAll(() => app.close())

const { modelPrices } = contract
const find = (model: string, provider?: string, startTime = '2026-01-01T00:00:00.000000Z') =>
  book.find({ tenantId, model, provider, startTime })
const aPrice = (fields: object) => ({
  name: 'p',
  match_pattern: '^p$',
  prompt_cost: '0.1',
  completion_cost: 0.2,
  ...fields,
})

describe('built-in prices', () => {
  it.each([
    ['gpt-4o-mini', '0.00000015', '0.0000006'],
    ['gpt-4o-mini-2024-07-18', '0.00000015', '0.0000006'],
    ['openai/gpt-4.1', '0.000002', '0.000008'],
    ['claude-sonnet-4-5-20250929', '0.000003', '0.000015'],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', '0.000003', '0.000015'],
    ['claude-3-5-haiku@20241022', '0.0000008', '0.000004'],
    ['models/gemini-2.5-flash', '0.0000003', '0.0000025'],
    ['gemini-2.0-flash-001', '0.0000001', '0.0000004'],
    ['mistral-large-latest', '0.0000005', '0.0000015'],
    ['command-r-08-2024', '0.00000015', '0.0000006'],
    ['meta-llama/Llama-3.3-70B-Instruct-Turbo', '0.00000088', '0.00000088'],
    ['us.meta.llama3-3-70b-instruct-v1:0', '0.00000072', '0.00000072'],
  ])('contain %s', (model, prompt, completion) => {
    expect(find(model)).toMatchObject({ prompt_cost: prompt, completion_cost: completion })
  })

  it('leave unknown models unpriced', () => {
    expect(find('my-own-model')).toBeUndefined()
    expect(find('gpt-4o-mini-but-mine')).toBeUndefined()
    expect(find('x'.repeat(100_000))).toBeUndefined()
  })

  it('depend on the date of the run and the provider', () => {
    expect(find('o3', 'openai', '2025-06-01T00:00:00.000000Z')?.prompt_cost).toBe('0.00001')
    expect(find('o3', 'openai', '2025-06-10T00:00:00.000000Z')?.prompt_cost).toBe('0.000002')
    expect(find('meta-llama/llama-4-scout-17b-16e-instruct', 'groq')?.prompt_cost).toBe('0.00000011')
    expect(find('meta-llama/llama-4-scout-17b-16e-instruct', 'together')?.prompt_cost).toBe('0.00000018')
    expect(find('meta-llama/llama-4-scout-17b-16e-instruct')).toBeUndefined()
  })

  it('match the same names as patterns of users do', () => {
    const hosts = ['openai/', 'us.anthropic.', 'a/'.repeat(200), 'a'.repeat(450)]
    const names = listedPrices.map(({ name }) => name)
    for (const { name, match_pattern } of listedPrices) {
      const tried = [...names, ...hosts.map((host) => host + name)]
      const own = new RegExp(match_pattern, 'i')
      expect(tried.filter((one) => own.test(one))).toEqual(tried.filter(compilePattern(match_pattern)))
    }
  })

  it('are refused with a pattern that takes long to compare, before it is compiled', () => {
    expect(() => compilePattern('(a?){1000}'.repeat(90))).toThrow(
      'match_pattern is not valid: more than 2000 instructions',
    )
  })

  it('have unique ids and exact prices', () => {
    const all = book.list(uuid7())
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect([perToken('0.075'), perToken('15'), perToken('0'), perToken('1234567.5')]).toEqual([
      '0.000000075',
      '0.000015',
      '0',
      '1.2345675',
    ])
  })
})

describe('own prices', () => {
  it('take precedence over built-in prices from their start time', async () => {
    const created = await app.call(modelPrices.create, {
      body: aPrice({
        match_pattern: '^gpt-4o-mini$',
        start_time: '2026-02-01T00:00:00Z',
        prompt_cost_details: { cache_read: 1e-9 },
      }),
    })
    expect(created.body).toMatchObject({
      built_in: false,
      prompt_cost: '0.1',
      prompt_cost_details: { cache_read: '0.000000001' },
    })
    await book.refresh()
    expect(find('gpt-4o-mini', 'openai', '2026-02-01T00:00:00.000000Z')?.id).toBe(created.body.id)
    expect(find('gpt-4o-mini', 'openai', '2026-01-31T23:59:59.999999Z')?.built_in).toBe(true)
    expect((await app.call(modelPrices.list)).body[0]?.id).toBe(created.body.id)
  })

  it('that replace a built-in one match what hosts make of its name', async () => {
    const { id, built_in: _, source: __, ...fields } = find('claude-haiku-4-5')!
    await app.call(modelPrices.update, { params: { id }, body: { ...fields, prompt_cost: '0.5' } })
    await book.refresh()
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/anthropic.claude-haiku-4-5-20251001-v1:0'
    for (const model of ['claude-haiku-4-5', 'anthropic/claude-haiku-4.5', arn]) {
      expect(find(model, 'openai')).toMatchObject({ id, prompt_cost: '0.5' })
    }
  })

  it('that replace a built-in one leave versions that cost something else alone', async () => {
    const { id, built_in: _, source: __, ...fields } = find('gpt-4o')!
    await app.call(modelPrices.update, { params: { id }, body: { ...fields, prompt_cost: '0.5' } })
    await book.refresh()
    expect(find('gpt-4o', 'openai')).toMatchObject({ id, prompt_cost: '0.5' })
    expect(find('gpt-4o-2024-05-13', 'openai')).toMatchObject({ prompt_cost: '0.000005' })
    expect(find('openai/gpt-4o:extended', 'openrouter')).toMatchObject({ id, prompt_cost: '0.5' })
    await app.call(modelPrices.delete, { params: { id } })
  })

  it('that replace a price of a host hold for each name of the host', async () => {
    const { id, built_in: _, source: __, ...fields } = find('openai/gpt-oss-120b', 'groq')!
    await app.call(modelPrices.update, { params: { id }, body: { ...fields, prompt_cost: '0.5' } })
    await book.refresh()
    expect(find('openai/gpt-oss-120b', 'Groq')).toMatchObject({ id, prompt_cost: '0.5' })
    expect(find('groq/openai/gpt-oss-120b')).toMatchObject({ id, prompt_cost: '0.5' })
    expect(find('openai/gpt-oss-120b')).toBeUndefined()
  })

  it('replace and hide built-in ones for the workspace', async () => {
    const builtIn = find('command-light')!
    const params = { id: builtIn.id }
    await app.call(modelPrices.update, { params, body: aPrice({ match_pattern: '^command-light$' }) })
    await book.refresh()
    expect(find('command-light')).toMatchObject({ id: builtIn.id, built_in: false, prompt_cost: '0.1' })
    expect((await app.call(modelPrices.delete, { params })).status).toBe(200)
    await book.refresh()
    expect(find('command-light')).toBeUndefined()
    expect((await app.call(modelPrices.delete, { params })).status).toBe(404)
    expect((await app.call(modelPrices.delete, { params: { id: uuid7() } })).status).toBe(404)
  })

  it.each([
    [0.1, '0.1'],
    [1e-7, '0.0000001'],
    ['1e-07', '0.0000001'],
    ['3.5E-06', '0.0000035'],
    ['1.50e-6', '0.0000015'],
    ['12.5e+1', '125'],
    ['12.5e1', '125'],
    ['1.25e1', '12.5'],
    ['1.0e-18', '0.000000000000000001'],
    ['0e-7', '0'],
  ])('of %s dollars are stored as %s', async (prompt_cost, stored) => {
    const { body } = await app.call(modelPrices.create, { body: aPrice({ prompt_cost }) })
    expect(body.prompt_cost).toBe(stored)
  })

  it.each([
    ['an unclosed group', { match_pattern: '(' }],
    ['a look-behind', { match_pattern: '(?<=a)b' }],
    ['a negative price', { prompt_cost: '-1' }],
    ['a price that is no number', { prompt_cost: 'free' }],
    ['a price with more than 18 decimals', { prompt_cost: '1e-19' }],
    ['a price without an end', { prompt_cost: '1e99' }],
    ['a price without digits', { prompt_cost: 'e-7' }],
  ])('are rejected with %s', async (_, fields) => {
    expect((await app.call(modelPrices.create, { body: aPrice(fields) })).status).toBe(400)
  })

  it('are not replaced when they were changed since they were read', async () => {
    const created = (await app.call(modelPrices.create, { body: aPrice({ name: 'base' }) })).body
    const builtIn = (await app.call(modelPrices.list)).body.find(({ built_in }) => built_in)!
    for (const read of [created, builtIn]) {
      const { id, built_in: _, source: __, ...fields } = read
      const replace = (change: object, expected?: object) =>
        app.call(modelPrices.update, { params: { id }, body: { ...fields, ...change, ...(expected && { expected }) } })
      expect((await replace({ prompt_cost: '0.3' }, fields)).status).toBe(200)
      const late = await replace({ prompt_cost: '0.4' }, fields)
      expect(late.status).toBe(409)
      expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'prompt_cost'], type: 'changed' }] })
      expect((await replace({ name: 'other' }, { name: fields.name })).status).toBe(200)
      expect((await replace({ prompt_cost: '0.5' })).body).toMatchObject({ prompt_cost: '0.5', name: fields.name })
      await app.call(modelPrices.delete, { params: { id } })
    }
  })

  it('are matched in linear time for any pattern', async () => {
    await app.call(modelPrices.create, { body: aPrice({ match_pattern: '(a+)+$' }) })
    await book.refresh()
    const before = process.cpuUsage()
    find(`${'a'.repeat(499)}b`)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1000)
  })
})

/** Stores a run that started today and returns its costs: prompt, completion, total. */
async function costOf(model: string, usage: object, provider?: string) {
  const id = uuid7()
  const run = {
    id,
    trace_id: id,
    dotted_order: `20261127T010000000000Z${id}`,
    name: 'call',
    run_type: 'llm',
    start_time: '2026-11-27T01:00:00Z',
    end_time: '2026-11-27T01:00:02Z',
    extra: { metadata: { ls_model_name: model, ...(provider && { ls_provider: provider }) } },
    outputs: { usage_metadata: usage },
  }
  await app.call(contract.runs.create, { body: run })
  const { body } = await app.call(contract.runs.read, { params: { run_id: id } })
  return [body.prompt_cost, body.completion_cost, body.total_cost].map((cost) => (cost === null ? null : Number(cost)))
}

describe('runs get prices when they are written', () => {
  const usageOf = (input_tokens: number, output_tokens: number, input = {}, output = {}) => ({
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_token_details: input,
    output_token_details: output,
  })

  it.each<[string, string, object, [number, number, number], string?]>([
    // 600 × 2 + 400 × 0.5 dollars per million in, 100 × 8 out
    ['a cache', 'gpt-4.1', usageOf(1000, 100, { cache_read: 400 }), [0.0014, 0.0008, 0.0022], 'openai'],
    // 200 × 0.625 + 800 × 0.0625, 500 × 5
    [
      'the flex tier',
      'gpt-5',
      usageOf(1000, 500, { flex: 200, flex_cache_read: 800 }, { flex: 200, flex_reasoning: 300 }),
      [0.000175, 0.0025, 0.002675],
      'openai',
    ],
    // 200 × 2.5 + 800 × 0.25, 500 × 20
    [
      'the priority tier',
      'gpt-5',
      usageOf(1000, 500, { priority: 200, priority_cache_read: 800 }, { priority: 200, priority_reasoning: 300 }),
      [0.0007, 0.01, 0.0107],
      'openai',
    ],
    ['a long prompt of Gemini', 'gemini-2.5-pro', usageOf(250_000, 1000), [0.625, 0.015, 0.64], 'gcp.gemini'],
    ['a long prompt of Claude', 'claude-sonnet-4-5', usageOf(250_000, 1000), [1.5, 0.0225, 1.5225], 'anthropic'],
    // 10 × 3 + 1000 × 3.75 + 4000 × 6, 5 × 15
    [
      'cache writes for an hour',
      'claude-sonnet-4-5',
      usageOf(5010, 5, { cache_creation: 5000, ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 4000 }),
      [0.02778, 0.000075, 0.027855],
      'anthropic',
    ],
    // 40 × 4 + 60 × 32, 20 × 16 + 30 × 64
    ['sound', 'gpt-realtime', usageOf(100, 50, { audio: 60 }, { audio: 30 }), [0.00208, 0.00224, 0.00432], 'openai'],
    // 20 × 5 + 80 × 10, 1000 × 40
    ['pictures', 'gpt-image-1', usageOf(100, 1000, { image: 80 }), [0.0009, 0.04, 0.0409], 'openai'],
    ['a name of OpenRouter', 'anthropic/claude-sonnet-4.5', usageOf(1000, 0), [0.003, 0, 0.003]],
    [
      'a profile of Bedrock in Europe, a tenth more',
      'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      usageOf(1000, 0),
      [0.0033, 0, 0.0033],
    ],
    ['an embedding', 'text-embedding-3-small', usageOf(1000, 0), [0.00002, 0, 0.00002], 'openai'],
  ])('with %s', async (_, model, usage, costs, provider) => {
    expect(await costOf(model, usage, provider)).toEqual(costs)
  })

  it('take a cost that Python printed with an exponent', async () => {
    expect(await costOf('m', { ...usageOf(1, 1), total_cost: '3.5e-6' })).toEqual([null, null, 3.5e-6])
  })

  it('have no cost when no price is known', async () => {
    expect(await costOf('openai/gpt-oss-120b', usageOf(1000, 100))).toEqual([null, null, null])
  })
})
