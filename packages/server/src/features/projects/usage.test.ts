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
async function aTrace(project: string, ageDays: number, model = 'gpt-4o-mini') {
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
  expect((await app.call(contract.runs.batch, { body: { post } })).status).toBe(202)
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
    await aTrace('busy', 8.5)
    await aTrace('busy', 12)
    const { body } = await app.call(contract.usage.activity, { query: { since, buckets: '10' } })
    const [project] = (await app.call(contract.projects.list, { query: { name: 'busy' } })).body
    const busy = body.projects.find(({ session_id }) => session_id === project!.id)
    expect(busy?.trace_counts).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 2, 0])
    expect(Math.round(body.bucket_seconds)).toBe(86_400)
  })

  it('is empty for a range in the future', async () => {
    const query = { since: '2999-01-01T00:00:00Z' }
    expect((await app.call(contract.usage.activity, { query })).body.projects).toEqual([])
    expect((await app.call(contract.usage.activity)).status).toBe(400)
  })
})
