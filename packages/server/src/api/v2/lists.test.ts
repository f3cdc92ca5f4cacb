import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { projectsV2, datasetsV2, datasets, projects, runs, agents } = contract
const DAY_MS = 24 * 60 * 60 * 1000

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

type Query = Record<string, string | string[]>

/** Every item, by pages of two. */
async function namesOf(route: typeof projectsV2.list | typeof datasetsV2.list, query: Query): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const page: Query = { page_size: '2', ...query, ...(cursor && { cursor }) }
    const { body, status, text } = await app.call(route, { query: page })
    expect(status, text).toBe(200)
    names.push(...body.items.map((item) => item.name))
    cursor = body.next_cursor
  } while (cursor !== null)
  return names
}

describe('the v2 list of projects', () => {
  const mark = uuid7().slice(-8)
  const [plain, other, agent] = [`a-${mark}`, `b-${mark}`, `agent-${mark}`] as const
  const experiment = `x-${mark}`
  let dataset: string
  beforeAll(async () => {
    dataset = (await app.call(datasets.create, { body: { name: `of-${mark}` } })).body.id
    const traces = [aTrace({ project: plain }), aTrace({ project: other, error: 'broken' })]
    await app.call(runs.batch, { body: { post: traces.flatMap((trace) => trace.post) } })
    const extra = { metadata: { dataset_version: '2026-01-01T00:00:00Z', big: 'yes' } }
    await app.call(projects.create, { body: { name: experiment, reference_dataset_id: dataset, extra } })
    const body = { id: agent, source_type: 'EXTERNAL' }
    const created = (await app.call(agents.create, { body })).body
    expect(created.environments).toHaveLength(4)
    const { root } = traces[0]!
    await app.call(contract.feedback.create, { body: { run_id: root, trace_id: root, key: 'correct', score: 1 } })
  })
  const list = (query: Query) => namesOf(projectsV2.list, { name_contains: mark, sort_by: 'NAME', ...query })
  const ofAgent = ['development', 'local', 'production', 'staging'].map((environment) => `${agent}/${environment}`)

  it('pages to the end, and tells projects, agents and experiments apart', async () => {
    const all = [plain, ...ofAgent, other, experiment]
    expect(await list({ sort_order: 'asc' })).toEqual(all)
    expect(await list({})).toEqual([...all].reverse())
    const asc = { sort_order: 'asc' }
    expect(await list({ type: 'PROJECT', ...asc })).toEqual([plain, other])
    expect(await list({ type: 'AGENT', ...asc })).toEqual(ofAgent)
    expect(await list({ type: ['PROJECT', 'EXPERIMENT'], ...asc })).toEqual([plain, other, experiment])
    const { items } = (await app.call(projectsV2.list, { query: { name: experiment } })).body
    expect(items).toMatchObject([{ type: 'EXPERIMENT', extra: { metadata: { big: 'yes' } }, name: experiment }])
  })

  it('narrows by what a project is', async () => {
    expect(await list({ reference_dataset_id: dataset })).toEqual([experiment])
    expect(await list({ dataset_version: '2026-01-01T00:00:00.000Z' })).toEqual([experiment])
    expect(await list({ metadata: '{"big":"yes"}' })).toEqual([experiment])
    expect(await list({ filter: `eq(name, "${plain}")` })).toEqual([plain])
    expect(await list({ id: [uuid7()] })).toEqual([])
    expect(await list({ tag_value_id: uuid7() })).toEqual([])
  })

  it('tells figures in the form of v2', async () => {
    const query = { name: plain, include_stats: 'true', include_facets: 'true', use_approx_stats: 'true' }
    const [one] = (await app.call(projectsV2.list, { query })).body.items
    expect(one).toMatchObject({ run_count: 1, total_cost: 0.75, prompt_cost: 0.5, total_tokens: 30, latency_p50: 2 })
    expect(one!.feedback_stats).toMatchObject({
      correct: { type: 'PRIMARY', n: 1, avg: 1, median: null, errors: 0, values: {}, contains_thread_feedback: false },
    })
    expect(one!.run_facets).toEqual(expect.any(Array))
    const select = { name: plain, include_stats: 'true', stats_select: 'RUN_COUNT' }
    const [few] = (await app.call(projectsV2.list, { query: select })).body.items
    expect(few).toMatchObject({ run_count: 1 })
    expect(few!.total_tokens ?? null).toBeNull()
    expect(await list({ type: 'PROJECT', sort_by: 'ERROR_RATE' })).toEqual([other, plain])
  })

  it('refuses what it cannot answer', async () => {
    const days = (count: number) => new Date(Date.now() - count * DAY_MS).toISOString()
    const refused = [
      { sort_by: 'FEEDBACK' },
      { sort_by: 'FEEDBACK', sort_by_feedback_key: 'correct' },
      { sort_by: 'WEIGHT' },
      { type: 'DREAM' },
      { cursor: 'nope' },
      { stats_start_time: days(32) },
      { filter: 'eq(' },
      { metadata: 'no json' },
    ]
    for (const query of refused) {
      expect([query, (await app.call(projectsV2.list, { query })).status]).toEqual([query, 400])
    }
    const byFeedback = { sort_by: 'FEEDBACK', sort_by_feedback_key: 'correct', reference_dataset_id: dataset }
    expect((await app.call(projectsV2.list, { query: byFeedback })).status).toBe(200)
    expect((await app.call(projectsV2.list, { query: { stats_start_time: days(30) } })).status).toBe(200)
  })
})

describe('the v2 list of datasets', () => {
  it('pages to the end, narrowed and sorted as asked', async () => {
    const mark = uuid7().slice(-8)
    const metadata = { team: mark }
    for (const name of ['a', 'b', 'c']) {
      const body = {
        name: `${name}-${mark}`,
        data_type: name === 'c' ? 'chat' : 'kv',
        ...(name === 'a' && { metadata }),
      }
      await app.call(datasets.create, { body })
    }
    const list = (query: Query) => namesOf(datasetsV2.list, { name_contains: mark, sort_by: 'name', ...query })
    expect(await list({ sort_order: 'asc' })).toEqual([`a-${mark}`, `b-${mark}`, `c-${mark}`])
    expect(await list({})).toEqual([`c-${mark}`, `b-${mark}`, `a-${mark}`])
    expect(await list({ data_type: 'chat' })).toEqual([`c-${mark}`])
    expect(await list({ metadata: JSON.stringify(metadata) })).toEqual([`a-${mark}`])
    expect(await list({ tag_value_id: uuid7() })).toEqual([])
    const query = { name: `a-${mark}`, exclude: 'example_count', exclude_corrections_datasets: 'true' }
    const { items, next_cursor } = (await app.call(datasetsV2.list, { query })).body
    expect(items).toMatchObject([{ name: `a-${mark}`, example_count: null, session_count: 0, metadata }])
    expect(next_cursor).toBeNull()
    for (const bad of [{ sort_by: 'WEIGHT' }, { sort_order: 'up' }, { cursor: 'WzBd' }, { data_type: 'pdf' }]) {
      expect([bad, (await app.call(datasetsV2.list, { query: bad })).status]).toEqual([bad, 400])
    }
  })
})
