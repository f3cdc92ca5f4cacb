import { contract, type RunStats, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
let session: string[]
let ids: string[]
const NOW = Date.now()
const THREAD = 'a thread'

/** One root ends five seconds before its start and has its first token before its start, as after a clock was set back. */
beforeAll(async () => {
  app = await startApp()
  const post = [-5000, -5000, 2000].map((ms) => {
    const id = uuid7()
    const at = (offset: number) => new Date(NOW - 60_000 + offset).toISOString()
    return {
      id,
      trace_id: id,
      name: 'answer',
      run_type: 'llm',
      session_name: 'clock',
      inputs: {},
      extra: { metadata: { thread_id: THREAD } },
      start_time: at(0),
      end_time: at(ms),
      events: [{ name: 'new_token', time: at(ms / 2) }],
    }
  })
  ids = post.map(({ id }) => id)
  const { status, text } = await app.call(contract.runs.batch, { body: { post } })
  expect(status, text).toBe(202)
  session = [(await app.call(contract.projects.list, { query: { name: 'clock' } })).body[0]!.id]
})
afterAll(() => app.close())

describe('a run that ends before it starts has a latency of 0', () => {
  const zero = { latency_p50: 0, latency_p99: 2, first_token_p50: 0, first_token_p99: 1 }

  it('in statistics, over all runs, roots and projects', async () => {
    for (const is_root of [undefined, true]) {
      const { body } = await app.call(contract.runStats.stats, { body: { session, is_root } })
      expect(body).toMatchObject(zero)
    }
    const select = ['latency_avg']
    const mean = (await app.call(contract.runStats.stats, { body: { session, select } })).body as RunStats
    expect(mean.latency_avg).toBeCloseTo(2 / 3)
    const query = { name: 'clock', include_stats: 'true' }
    expect((await app.call(contract.projects.list, { query })).body[0]).toMatchObject(zero)
    const days = { ...query, stats_start_time: new Date(NOW - 9e7).toISOString() }
    expect((await app.call(contract.projects.list, { query: days })).body[0]).toMatchObject(zero)
  })

  it('in charts', async () => {
    const { body } = await app.call(contract.runSeries.series, { body: { session } })
    expect(body.total).toMatchObject({ ...zero, latency_p95: 2 })
  })

  it('in filters and sorted lists', async () => {
    const find = async (filter: string) =>
      (await app.call(contract.runs.query, { body: { session, filter, select: ['id'] } })).body.runs.map(({ id }) => id)
    expect(await find('lt(latency, 0)')).toEqual([])
    expect((await find('eq(latency, 0)')).sort()).toEqual(ids.slice(0, 2).sort())
    for (const sort_by of ['latency', 'first_token'] as const) {
      const body = { session, sort_by, order: 'asc', limit: 2, select: ['id'] } as const
      const page = (await app.call(contract.runs.query, { body })).body
      const rest = (await app.call(contract.runs.query, { body: { ...body, cursor: page.cursors.next! } })).body
      expect(page.runs.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort())
      expect(rest.runs.map(({ id }) => id)).toEqual(ids.slice(2))
    }
  })

  it('in runs of the second version and in SQL', async () => {
    const [project_id] = session
    const body = { project_ids: session, selects: ['ID', 'LATENCY_SECONDS'] as const, ids: [ids[0]!] }
    const { items } = (await app.call(contract.runsV2.query, { body: { ...body, selects: [...body.selects] } })).body
    expect(items).toEqual([{ id: ids[0], latency_seconds: 0 }])
    const query =
      'select min(latency_seconds), min(first_token_seconds) from runs where start_time >= now() - interval 1 day'
    const answer = await app.call(contract.sql.query, { body: { project_ids: [project_id!], query } })
    expect(answer.body.rows).toEqual([[0, 0]])
  })

  it('in threads', async () => {
    const [session_id] = session
    const seconds = { latency_p50_seconds: 0, latency_p99_seconds: 2 }
    const query = { session_id: session_id!, selects: ['LATENCY_P50', 'LATENCY_P99'] }
    const one = await app.call(contract.threadsV2.stats, { params: { thread_id: THREAD }, query })
    expect(one.body).toEqual(seconds)
    const select = ['LATENCY_P50', 'LATENCY_P99', 'FIRST_TOKEN_P50', 'FIRST_TOKEN_P99'] as const
    const totals = await app.call(contract.threadsV2.totals, { body: { project_id: session_id!, select: [...select] } })
    expect(totals.body).toEqual({ ...seconds, first_token_p50_seconds: 0, first_token_p99_seconds: 1 })
    const list = await app.call(contract.threadsV2.query, { body: { project_id: session_id! } })
    expect(list.body.items[0]).toMatchObject({ latency_p50: 0, latency_p99: 2 })
    const thread_filter = 'lt(trace_latency_p50, 0)'
    const none = await app.call(contract.threadsV2.query, { body: { project_id: session_id!, thread_filter } })
    expect(none.body.items).toEqual([])
    const groups = await app.call(contract.runStats.group, {
      body: { session_id: session_id!, group_by: 'conversation' },
    })
    expect(groups.body.groups[0]).toMatchObject({ latency_p50: 0, latency_p99: 2 })
  })
})
