import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, type Run, type Thread } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { runs: [], cursors: { next: null } } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const bodies = () => server.requests.map(({ body }) => JSON.parse(body.toString()))

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found = []
  for await (const item of items) found.push(item)
  return found
}

describe('groups of runs', () => {
  it('are fetched until the total is reached, the limit being a page', async () => {
    const pages = [['a', 'b'], ['c']].map((ids) => ids.map((thread_id) => ({ thread_id }) as Thread))
    server.respond(() => ({ body: { groups: pages.shift() ?? [], total: 3 } }))
    const startTime = new Date(0)
    const groups = await all(client.listGroupRuns({ projectId: ID, groupBy: 'conversation', limit: 2, startTime }))
    expect(groups.map(({ thread_id }) => thread_id)).toEqual(['a', 'b', 'c'])
    const body = { session_id: ID, group_by: 'conversation', start_time: startTime.toISOString(), end_time: null }
    expect(bodies()).toEqual([
      { ...body, limit: 2, offset: 0 },
      { ...body, limit: 2, offset: 2 },
    ])
  })
})

describe('reading a thread', () => {
  it('needs a project and asks by filter, and-ed with the one given', async () => {
    await expect(client.readThread({ threadId: 't' }).next()).rejects.toThrow(
      'threadId requires projectId or projectName',
    )
    await all(client.readThread({ threadId: 'say "hi"', projectId: ID, filter: 'eq(name, "x")' }))
    expect(bodies()[0]).toMatchObject({
      session: [ID],
      is_root: true,
      order: 'asc',
      filter: 'and(eq(thread_id, "say \\"hi\\""), eq(name, "x"))',
    })
  })
})

describe('listing threads', () => {
  const aRun = (thread_id: string | null, minute: number, more: Partial<Run> = {}) => ({
    id: ID,
    thread_id,
    dotted_order: `${minute}`,
    start_time: `2025-07-10T04:0${minute}:00.000000Z`,
    end_time: `2025-07-10T04:0${minute}:02.000000Z`,
    total_tokens: 10,
    ...more,
  })

  it('wants exactly one key of a project', async () => {
    await expect(client.listThreads({})).rejects.toThrow('Either projectId or projectName must be provided')
    await expect(client.listThreads({ projectId: ID, projectName: 'x' })).rejects.toThrow(
      'Provide exactly one of projectId or projectName',
    )
  })

  it('groups runs, latest thread first, with the figures of its runs', async () => {
    const runs = [
      aRun('b', 3, { total_cost: '0.5', outputs_preview: 'bye', feedback_stats: { ok: { n: 1, avg: 0 } } }),
      aRun('a', 2),
      aRun(null, 2),
      aRun('b', 1, {
        total_cost: '0.25',
        reported_cost: '0.25',
        unpriced_fees: 2,
        inputs_preview: 'hi',
        feedback_stats: { ok: { n: 3, avg: 1 } },
      }),
    ]
    server.respond(() => ({ body: { runs, cursors: { next: null } } }))
    const threads = await client.listThreads({ projectId: ID })
    expect(threads.map(({ thread_id, count }) => [thread_id, count])).toEqual([
      ['b', 2],
      ['a', 1],
    ])
    expect(threads[0]).toMatchObject({
      total_tokens: 20,
      total_cost: 0.75,
      reported_cost: 0.25,
      unpriced_fees: 2,
      min_start_time: runs[3]!.start_time,
      max_start_time: runs[0]!.start_time,
      latency_p50: 2,
      feedback_stats: { ok: { n: 4, avg: 0.75 } },
      first_inputs: 'hi',
      last_outputs: 'bye',
    })
    expect(threads[1]).toMatchObject({ total_cost: null, reported_cost: null, feedback_stats: null })
    expect(await client.listThreads({ projectId: ID, offset: 1, limit: 1 })).toHaveLength(1)
  })
})

describe('querying threads', () => {
  it.each(['', '/api', '/v1', '/api/v1'])('asks the second family of a server at %s', async (prefix) => {
    const at = new Client({ apiUrl: new URL(server.url).origin + prefix, apiKey: 'k' })
    server.respond(() => ({ body: { items: [{ thread_id: 't' }], next_cursor: 'c' } }))
    const page = await at.queryThreads({ project_id: ID, thread_filter: 'gt(num_errored_turns, 0)' })
    expect(page).toEqual({ items: [{ thread_id: 't' }], next_cursor: 'c' })
    expect(server.requests[0]!.path).toBe(`${prefix.replace('/v1', '')}/v2/threads/query`)
    expect(bodies()[0]).toEqual({ project_id: ID, thread_filter: 'gt(num_errored_turns, 0)' })
  })
})

describe('sharing a thread', () => {
  it('gives, tells and takes back its token', async () => {
    server.respond(() => ({ body: { share_token: 'token' } }))
    const thread = { projectId: ID, threadId: 'a/b' }
    expect(await client.shareThread(thread)).toBe('token')
    expect(await client.readThreadShare(thread)).toBe('token')
    server.respond(() => ({ status: 204 }))
    await client.unshareThread(thread)
    const calls = server.requests.map(({ method, path, query }) => [method, path, query.get('project_id')])
    const path = '/api/v2/threads/a%2Fb/share'
    expect(calls).toEqual([
      ['POST', path, null],
      ['GET', path, ID],
      ['DELETE', path, ID],
    ])
    expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({ project_id: ID })
  })

  it('is undefined while it has none', async () => {
    server.respond(() => ({ body: {} }))
    expect(await client.readThreadShare({ projectId: ID, threadId: 'a' })).toBeUndefined()
  })
})

it('figures over threads are those that were selected', async () => {
  server.respond(() => ({ body: { thread_count: 2 } }))
  const query = { project_id: ID, select: ['THREAD_COUNT'] }
  expect(await client.readThreadTotals(query)).toEqual({ thread_count: 2 })
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/api/v2/threads/stats' })
  expect(bodies()).toEqual([query])
})
