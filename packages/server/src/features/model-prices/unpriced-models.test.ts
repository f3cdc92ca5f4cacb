import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { modelPrices } = contract
const HOUR_MS = 3_600_000

async function record(
  model: string,
  ageMs = 0,
  usage: object = { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
) {
  const id = uuid7()
  const start_time = new Date(Date.now() - ageMs).toISOString()
  const metadata = { ls_model_name: model, ls_provider: 'mine' }
  const run = { id, trace_id: id, name: 'call', run_type: 'llm', start_time, end_time: start_time }
  const outputs = { usage_metadata: usage }
  const post = [{ ...run, dotted_order: dottedOrder(start_time, id), outputs, extra: { metadata } }]
  const answer = await app.call(contract.runs.batch, { body: { post } })
  expect(answer.status, answer.text).toBe(202)
}

function dottedOrder(iso: string, id: string): string {
  return `${iso.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`
}

const unpriced = async (days = '30') => (await app.call(modelPrices.unpriced, { query: { days } })).body
const test = async (body: object) => (await app.call(modelPrices.test, { body })).body

describe('models without a price', () => {
  it('are listed with their usage, most runs first', async () => {
    for (const model of ['own-large', 'own-large', 'own-small', 'gpt-4o-mini']) await record(model)
    await record('own-free', 0, { input_tokens: 3, output_tokens: 0, total_tokens: 3, total_cost: 0 })
    await record('own-old', 40 * 24 * HOUR_MS)
    const { models, has_more } = await unpriced()
    expect(has_more).toBe(false)
    expect(models.map(({ model, run_count, prompt_tokens }) => [model, run_count, prompt_tokens])).toEqual([
      ['own-large', 2, 20],
      ['own-small', 1, 10],
    ])
    expect(models[0]).toMatchObject({ provider: 'mine', completion_tokens: 10, price_now: null })
    expect((await unpriced('60')).models.map(({ model }) => model)).toContain('own-old')
  })

  it('are those of one project when it is named', async () => {
    const { body } = await app.call(contract.projects.list, { query: { name: 'default' } })
    const ofProject = (session_id: string) => app.call(modelPrices.unpriced, { query: { session_id } })
    expect((await ofProject(body[0]!.id)).body.models.map(({ model }) => model)).toContain('own-large')
    expect((await ofProject(uuid7())).body.models).toEqual([])
    expect((await ofProject('x')).status).toBe(400)
  })

  it('get costs only for runs after a price is added', async () => {
    const body = { name: 'large', match_pattern: '^own-large$', prompt_cost: '0.001', completion_cost: '0.002' }
    const { id } = (await app.call(modelPrices.create, { body })).body
    const before = (await unpriced()).models.find(({ model }) => model === 'own-large')
    expect(before).toMatchObject({ run_count: 2, price_now: { id } })
    await record('own-large')
    expect((await unpriced()).models.find(({ model }) => model === 'own-large')?.run_count).toBe(2)
  })

  it('belong to one workspace', async () => {
    const other = await startApp()
    const { body } = await other.call(modelPrices.unpriced)
    await other.close()
    expect(body.models).toEqual([])
  })
})

describe('testing a model name', () => {
  it('returns the price of a run and the other matching prices', async () => {
    const price = (name: string, fields: object) => ({
      ...{ name, match_pattern: '^tested', prompt_cost: '1', completion_cost: '2' },
      ...fields,
    })
    for (const body of [
      price('any', {}),
      price('of the host', { provider: 'host' }),
      price('to come', { start_time: '2099-01-01T00:00:00Z' }),
    ]) {
      expect((await app.call(modelPrices.create, { body })).status).toBe(200)
    }
    const names = ({ price, others }: Awaited<ReturnType<typeof test>>) => [price?.name, others.map(({ name }) => name)]
    expect(names(await test({ model: 'tested-1' }))).toEqual(['any', ['to come']])
    expect(names(await test({ model: 'TESTED-1', provider: 'Host' }))).toEqual(['of the host', ['to come', 'any']])
    const later = { model: 'tested-1', start_time: '2100-01-01T00:00:00Z' }
    expect(names(await test(later))).toEqual(['to come', ['any']])
    expect(await test({ model: 'unheard-of' })).toEqual({ price: null, others: [] })
    expect((await test({ model: 'gpt-4o-mini-2024-07-18' })).price).toMatchObject({ built_in: true })
    expect((await app.call(modelPrices.test, { body: { model: '' } })).status).toBe(400)
  })
})
