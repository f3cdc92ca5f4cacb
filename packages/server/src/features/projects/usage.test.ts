import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { addFigures } from './usage.ts'

const DAY_MS = 86_400_000
let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** A trace of a chain and a model below it that reports 10 and 5 tokens, begun so many days ago. */
async function aTrace(project: string, ageDays: number, model = 'gpt-4o-mini', server = app) {
  const [root, child] = [uuid7(), uuid7()]
  const start = new Date(Date.now() - ageDays * DAY_MS).toISOString()
  const stamp = start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')
  const common = { session_name: project, trace_id: root, start_time: start, end_time: start }
  const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  const post = [
    { ...common, id: root, name: 'chain', run_type: 'chain', dotted_order: `${stamp}${root}`, inputs: { q: 'x' } },
    {
      ...common,
      id: child,
      parent_run_id: root,
      name: 'model',
      run_type: 'llm',
      dotted_order: `${stamp}${root}.${stamp}${child}`,
      outputs: { usage_metadata },
      extra: { metadata: { ls_model_name: model, ls_provider: 'openai' } },
    },
  ]
  expect((await server.call(contract.runs.batch, { body: { post } })).status).toBe(202)
}

describe('usage', () => {
  it('is reported by day and by project, with every day of the window', async () => {
    await aTrace('large', 0)
    await aTrace('large', 0)
    await aTrace('large', 2)
    await aTrace('small', 2, 'unheard-of')
    await aTrace('large', 9)
    const { body } = await app.call(contract.usage.read, { query: { days: '7' } })
    const bytes =
      '{"q":"x"}'.length + '{"usage_metadata":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}'.length
    const today = new Date().toISOString().slice(0, 10)
    expect(body.since).toBe(`${new Date(Date.now() - 6 * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000000Z`)
    expect(body.total).toMatchObject({ trace_count: 4, run_count: 8, payload_bytes: 4 * bytes, total_tokens: 60 })
    expect(body.days.map(({ trace_count }) => trace_count)).toEqual([0, 0, 0, 0, 2, 0, 2])
    expect(body.days.at(-1)).toMatchObject({ day: today, prompt_tokens: 20, completion_tokens: 10 })
    expect(body.days[0]!.total_cost).toBeNull()
    const costOf = (count: number) => addFigures(Array.from({ length: count }, () => ({ total_cost: '0.0000045' })))
    expect(body.projects).toEqual([
      expect.objectContaining({ session_name: 'large', trace_count: 3, total_cost: costOf(3).total_cost }),
      expect.objectContaining({ session_name: 'small', trace_count: 1, total_cost: null }),
    ])
    const session = body.projects[1]!.session_id
    const one = (await app.call(contract.usage.read, { query: { days: '7', session } })).body
    expect([one.total.run_count, one.projects.length]).toEqual([2, 1])
  })

  it('counts tokens once when a run repeats those of its child', async () => {
    const [root, child] = [uuid7(), uuid7()]
    const start = new Date().toISOString()
    const stamp = start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')
    const outputs = { usage_metadata: { input_tokens: 7, output_tokens: 1, total_tokens: 8 } }
    const common = {
      session_name: 'twice',
      trace_id: root,
      run_type: 'llm',
      start_time: start,
      end_time: start,
      outputs,
    }
    const post = [
      { ...common, id: root, name: 'outer', dotted_order: `${stamp}${root}` },
      { ...common, id: child, parent_run_id: root, name: 'inner', dotted_order: `${stamp}${root}.${stamp}${child}` },
    ]
    await app.call(contract.runs.batch, { body: { post } })
    const { body } = await app.call(contract.usage.read, { query: { days: '1' } })
    expect(body.projects.find(({ session_name }) => session_name === 'twice')).toMatchObject({ total_tokens: 8 })
  })

  it('is reported by model across projects, with the runs whose cost is unknown', async () => {
    const one = await startApp()
    for (const [project, model] of [
      ['large', 'gpt-4o-mini'],
      ['small', 'gpt-4o-mini'],
      ['large', 'gpt-4o-mini'],
      ['small', 'unheard-of'],
    ] as const) {
      await aTrace(project, 1, model, one)
    }
    await aTrace('small', 9, 'gpt-4o', one)
    const { body } = await one.call(contract.usage.models, { query: { days: '7' } })
    const session = body.models[0]!.projects[1]!.session_id
    const small = (await one.call(contract.usage.models, { query: { days: '7', session } })).body
    await one.close()

    expect(body.models).toMatchObject([
      { model: 'gpt-4o-mini', provider: 'openai', run_count: 3, prompt_tokens: 30, completion_tokens: 15 },
      { model: 'unheard-of', run_count: 1, total_tokens: 15, total_cost: null, unpriced_run_count: 1 },
    ])
    expect(body.models[0]!.total_cost).toBe(addFigures(Array(3).fill({ total_cost: '0.0000045' })).total_cost)
    expect(body.models[0]!.projects).toMatchObject([
      { session_name: 'large', run_count: 2, total_tokens: 30, unpriced_run_count: 0 },
      { session_name: 'small', run_count: 1 },
    ])
    expect(small.models.map(({ model, run_count }) => [model, run_count])).toEqual([
      ['gpt-4o-mini', 1],
      ['unheard-of', 1],
    ])
  })

  it('belongs to one workspace', async () => {
    const other = await startApp()
    const { body } = await other.call(contract.usage.read)
    await other.close()
    expect([body.total.run_count, body.days.length]).toEqual([0, 30])
  })

  it('adds dollars exactly', () => {
    const costs = ['0.1', '0.2', '123456789.000000000000000001', null].map((total_cost) => ({ total_cost }))
    expect(addFigures(costs).total_cost).toBe('123456789.300000000000000001')
  })
})

describe('the activity of projects', () => {
  it('counts traces in equal parts of the window', async () => {
    const since = new Date(Date.now() - 10 * DAY_MS).toISOString()
    await aTrace('busy', 1.5)
    await aTrace('busy', 1.4)
    const failed = new Date(Date.now() - 8.5 * DAY_MS).toISOString()
    const body = { name: 'chain', run_type: 'chain', session_name: 'busy', inputs: {}, error: 'Boom' }
    await app.call(contract.runs.create, { body: { ...body, start_time: failed, end_time: failed } })
    await aTrace('busy', 12)
    const activity = (await app.call(contract.usage.activity, { query: { since, buckets: '10' } })).body
    const [project] = (await app.call(contract.projects.list, { query: { name: 'busy' } })).body
    const busy = activity.projects.find(({ session_id }) => session_id === project!.id)
    expect(busy?.trace_counts).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 2, 0])
    expect(busy?.error_counts).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(Math.round(activity.bucket_seconds)).toBe(86_400)
  })

  it('is empty for a range in the future', async () => {
    const query = { since: '2999-01-01T00:00:00Z' }
    expect((await app.call(contract.usage.activity, { query })).body.projects).toEqual([])
    expect((await app.call(contract.usage.activity)).status).toBe(400)
  })
})
