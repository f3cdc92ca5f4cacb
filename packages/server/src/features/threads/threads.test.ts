import { contract, THREAD_TOTAL_SELECTS, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sql } from '../../storage/analytics/sql.ts'
import type { RowDecoder } from '../../storage/rows.ts'
import { aTrace, type TraceOptions } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { listThreadGroups } from './thread-groups.ts'

const { threadsV2, runs } = contract
const HOUR_MS = 60 * 60 * 1000

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Creates traces in a new project. */
async function createTraces(options: readonly Omit<TraceOptions, 'project'>[]) {
  const project = `threads-${uuid7()}`
  const traces = options.map((one) => aTrace({ ...one, project }))
  const answer = await app.call(runs.batch, { body: { post: traces.flatMap((trace) => trace.post) } })
  expect(answer.status).toBe(202)
  const { session_id } = (await app.call(runs.read, { params: { run_id: traces[0]!.root } })).body
  return { projectId: session_id, traces }
}

const query = (body: unknown) => app.call(threadsV2.query, { body })
const listThreadIds = async (body: object) => (await query(body)).body.items.map((item) => item.thread_id)

describe('querying threads', () => {
  it('sums the traces of each thread, last active first', async () => {
    const { projectId, traces } = await createTraces([
      { thread: 'support-42', ageMs: 3 * HOUR_MS, error: 'it broke' },
      { thread: 'other / ünïcode', ageMs: 2 * HOUR_MS },
      { thread: 'support-42', ageMs: HOUR_MS },
      { ageMs: 30_000 },
    ])
    const [first, other, last] = traces
    const { items, ...rest } = (await query({ project_id: projectId })).body
    expect(rest).toEqual({})
    expect(items).toEqual([
      {
        thread_id: 'support-42',
        count: 2,
        trace_id: last!.root,
        first_trace_id: first!.root,
        last_trace_id: last!.root,
        start_time: last!.times[0],
        min_start_time: first!.times[0],
        max_start_time: last!.times[0],
        max_end_time: last!.times[3],
        latency_p50: 2,
        latency_p99: 2,
        num_errored_turns: 1,
        total_tokens: 60,
        total_cost: 1.5,
        reported_cost: 1.5,
        unpriced_fees: null,
        total_token_details: { cache_read: 10 },
        total_cost_details: {},
        first_inputs: `of ${first!.root}`,
        last_outputs: 'yes',
        last_error: 'it broke',
        feedback_stats: {},
        query_metadata: null,
      },
      expect.objectContaining({ thread_id: 'other / ünïcode', count: 1, trace_id: other!.root, total_tokens: 30 }),
    ])
    expect(items[1]).not.toHaveProperty('last_error')
  })

  it('covers the last day or the given range, without its upper bound', async () => {
    const { projectId, traces } = await createTraces([
      { thread: 'a', ageMs: 30 * HOUR_MS },
      { thread: 'a', ageMs: 2 * HOUR_MS },
      { thread: 'b', ageMs: HOUR_MS },
    ])
    expect(
      (await query({ project_id: projectId })).body.items.map(({ thread_id, count }) => [thread_id, count]),
    ).toEqual([
      ['b', 1],
      ['a', 1],
    ])
    const window = { min_start_time: traces[0]!.times[0], max_start_time: traces[2]!.times[0] }
    const { items } = (await query({ project_id: projectId, ...window })).body
    expect(items.map(({ thread_id, count }) => [thread_id, count])).toEqual([['a', 2]])
  })

  it('returns each thread once over all pages', async () => {
    const names = Array.from({ length: 7 }, (_, at) => `thread ${at}`)
    // Two start at the same time: the page may end between them.
    const { projectId } = await createTraces(
      names.map((thread, at) => ({ thread, ageMs: 60_000 + Math.floor(at / 2) * 1000 })),
    )
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await query({ project_id: projectId, page_size: 2, cursor })
      expect(body.items.length).toBeGreaterThan(0)
      seen.push(...body.items.map((item) => item.thread_id))
      cursor = body.next_cursor
    } while (cursor !== undefined)
    expect([...seen].sort()).toEqual(names)
    expect((await query({ project_id: projectId, cursor: 'nope' })).status).toBe(400)
  })

  it('counts the feedback on the roots', async () => {
    const { projectId, traces } = await createTraces([{ thread: 'judged' }, { thread: 'judged' }, { thread: 'not' }])
    for (const [at, score] of [1, 0].entries()) {
      await app.call(contract.feedback.create, { body: { run_id: traces[at]!.root, key: 'good', score } })
    }
    const { items } = (await query({ project_id: projectId })).body
    const stats = Object.fromEntries(items.map((item) => [item.thread_id, item.feedback_stats]))
    expect(stats).toMatchObject({ judged: { good: { n: 2, avg: 0.5 } }, not: {} })
    const filtered = { project_id: projectId, thread_filter: 'and(eq(feedback_key, "good"), eq(feedback_score, 0))' }
    expect(await listThreadIds(filtered)).toEqual(['judged'])
    expect(await listThreadIds({ ...filtered, thread_filter: `not(${filtered.thread_filter})` })).toEqual(['not'])
  })

  it('counts the feedback on threads themselves, which is not feedback on the project', async () => {
    const { projectId, traces } = await createTraces([{ thread: 'a' }, { thread: 'b' }, { thread: 'none' }])
    const give = (body: object) => app.call(contract.feedback.create, { body: { key: 'solved', ...body } })
    await give({ session_id: projectId, feedback_thread_id: 'a', score: 0 })
    await give({ session_id: projectId, feedback_thread_id: 'b', score: 1, key: 'tone' })
    await give({ run_id: traces[0]!.root, score: 1 })
    const { items } = (await query({ project_id: projectId })).body
    const stats = Object.fromEntries(items.map((item) => [item.thread_id, item.feedback_stats]))
    expect(stats).toMatchObject({ a: { solved: { n: 2, avg: 0.5, contains_thread_feedback: true } }, none: {} })
    const body = { project_id: projectId, select: ['THREAD_FEEDBACK_STATS'] }
    const totals = (await app.call(threadsV2.totals, { body })).body
    expect(totals.thread_feedback_stats).toMatchObject({ solved: { n: 2 }, tone: { n: 1 } })
    const project = await app.call(contract.projects.read, {
      params: { session_id: projectId },
      query: { include_stats: 'true' },
    })
    expect(project.body.session_feedback_stats).toEqual({})

    const find = async (thread_filter: string) => (await listThreadIds({ project_id: projectId, thread_filter })).sort()
    expect(await find('and(eq(feedback_key, "solved"), eq(feedback_score, 0))')).toEqual(['a'])
    expect(await find('and(eq(feedback_key, "tone"), lt(feedback_score, 1))')).toEqual([])
    expect(await find('neq(feedback_key, "solved")')).toEqual(['b', 'none'])
    expect(await find('eq(feedback_key, null)')).toEqual(['none'])
    expect(await find('or(eq(feedback_key, "tone"), eq(thread_id, "none"))')).toEqual(['b', 'none'])
    const both =
      'and(and(eq(feedback_key, "solved"), eq(feedback_score, 0)), and(eq(feedback_key, "solved"), eq(feedback_score, 1)))'
    expect(await find(both)).toEqual(['a'])
  })

  it('filters roots, traces, trees and whole threads', async () => {
    const { projectId } = await createTraces([
      { thread: 'mixed', error: 'no' },
      { thread: 'mixed', ageMs: 10_000 },
      { thread: 'fine', ageMs: 5_000 },
    ])
    const ask = async (filters: object) =>
      (await query({ project_id: projectId, ...filters })).body.items.map(({ thread_id, count }) => [thread_id, count])
    // Roots that do not match are not counted …
    expect(await ask({ filter: 'eq(status, "error")' })).toEqual([['mixed', 1]])
    // … but a thread that has a matching trace is shown whole.
    expect(await ask({ trace_filter: 'eq(status, "error")' })).toEqual([['mixed', 2]])
    expect(await ask({ tree_filter: 'eq(name, "call")' })).toEqual([
      ['fine', 1],
      ['mixed', 2],
    ])
    expect(await ask({ tree_filter: 'eq(name, "unknown")' })).toEqual([])
  })

  it.each([
    ['eq(thread_id, "long")', ['long']],
    ['gte(turn_count, 2)', ['long']],
    ['eq(num_errored_turns, 1)', ['long']],
    ['and(lt(turn_count, 2), eq(num_errored_turns, 0))', ['short']],
    ['gt(thread_duration, "1m")', ['long']],
    ['lte(trace_latency_p50, 2)', ['long', 'short']],
    ['gt(trace_latency_p99, "2s")', []],
    ['gt(total_tokens, 30)', ['long']],
    ['or(gt(total_cost, 1), like(thread_id, "sh%"))', ['long', 'short']],
    ['not(gt(total_cost, 1))', ['short']],
    ['', ['long', 'short']],
  ])('keeps threads by %s', async (thread_filter, expected) => {
    const { projectId } = await createTraces([
      { thread: 'long', ageMs: 200_000, error: 'once' },
      { thread: 'long', ageMs: 20_000 },
      { thread: 'short', ageMs: 30_000 },
    ])
    expect((await listThreadIds({ project_id: projectId, thread_filter })).sort()).toEqual([...expected].sort())
  })

  it.each([
    ['no project', {}],
    ['a filter that does not read', { project_id: uuid7(), thread_filter: 'eq(turn_count' }],
    ['a field that threads do not have', { project_id: uuid7(), thread_filter: 'eq(name, "x")' }],
  ])('rejects %s', async (_, body) => {
    const answer = await query(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ title: 'Bad Request', status: 400 })
  })
})

describe('the traces of a thread', () => {
  const list = (thread_id: string, query: Record<string, string | string[]>) =>
    app.call(threadsV2.traces, { params: { thread_id }, query })

  it('are listed in order, in pages, with the selected fields', async () => {
    const thread = 'a/b c%20d'
    const { projectId, traces } = await createTraces([
      { thread, ageMs: 90 * HOUR_MS },
      { thread, ageMs: 2000 },
      { thread, ageMs: 1000 },
      { thread: 'other' },
    ])
    const roots = traces.slice(0, 3).map((trace) => trace.root)
    const first = (await list(thread, { project_id: projectId, page_size: '2' })).body
    const second = (await list(thread, { project_id: projectId, page_size: '2', cursor: first.next_cursor! })).body
    expect([...first.items, ...second.items]).toEqual(roots.map((trace_id) => ({ trace_id })))
    expect(second).not.toHaveProperty('next_cursor')

    const selects = ['OP', 'LATENCY', 'TOTAL_TOKENS', 'TOTAL_COST', 'PROMPT_TOKEN_DETAILS', 'THREAD_ID', 'NAME', 'WHAT']
    expect((await list(thread, { project_id: projectId, selects })).body.items[0]).toEqual({
      trace_id: roots[0],
      op: 1,
      latency: 2,
      total_tokens: 30,
      total_cost: 0.75,
      prompt_token_details: { raw: { cache_read: 5 } },
      thread_id: thread,
      name: 'answer',
    })
    for (const filters of [{ filter: 'eq(status, "error")' }, { trace_filter: 'eq(name, "call")' }]) {
      expect((await list(thread, { project_id: projectId, ...filters })).body.items).toEqual([])
    }
    const whole = { project_id: projectId, tree_filter: 'eq(name, "call")' }
    expect((await list(thread, whole)).body.items).toHaveLength(3)
    expect((await list(thread, {})).status).toBe(400)
  })
})

describe('the figures of a thread', () => {
  it('contain the selected fields', async () => {
    const thread = 'figures'
    const { projectId, traces } = await createTraces([
      { thread, ageMs: 90 * HOUR_MS },
      { thread, ageMs: 2000 },
    ])
    const read = (query: Record<string, string | string[]>, thread_id = thread) =>
      app.call(threadsV2.stats, { params: { thread_id }, query: { session_id: projectId, ...query } })
    const all = { selects: ALL }
    expect((await read(all)).body).toEqual({
      turns: 2,
      first_start_time: traces[0]!.times[0],
      last_start_time: traces[1]!.times[0],
      last_end_time: traces[1]!.times[3],
      latency_p50_seconds: 2,
      latency_p99_seconds: 2,
      prompt_tokens: 40,
      completion_tokens: 20,
      total_tokens: 60,
      prompt_cost: 1,
      completion_cost: 0.5,
      total_cost: 1.5,
      prompt_token_details: { raw: { cache_read: 10 } },
      completion_token_details: { raw: {} },
      prompt_cost_details: { raw: {} },
      completion_cost_details: { raw: {} },
      feedback_stats: {},
    })
    const filter = `eq(trace_id, "${traces[0]!.root}")`
    expect((await read({ selects: 'TURNS', filter })).body).toEqual({ turns: 1 })
    expect((await read({ selects: ['TURNS', 'TOTAL_COST', 'LATENCY_P50'] }, 'unknown')).body).toEqual({
      turns: 0,
      total_cost: null,
      latency_p50_seconds: null,
    })
    expect((await read({})).status).toBe(400)
  })

  const ALL = [
    ...['TURNS', 'FIRST_START_TIME', 'LAST_START_TIME', 'LAST_END_TIME', 'LATENCY_P50', 'LATENCY_P99'],
    ...['PROMPT_TOKENS', 'PROMPT_COST', 'COMPLETION_TOKENS', 'COMPLETION_COST', 'TOTAL_TOKENS', 'TOTAL_COST'],
    ...['PROMPT_TOKEN_DETAILS', 'COMPLETION_TOKEN_DETAILS', 'PROMPT_COST_DETAILS', 'COMPLETION_COST_DETAILS'],
    'FEEDBACK_STATS',
  ]
})

describe('figures over all threads', () => {
  const ALL = THREAD_TOTAL_SELECTS
  const totals = async (body: object) => (await app.call(threadsV2.totals, { body })).body

  it('are a flat object of the selected fields', async () => {
    const { projectId, traces } = await createTraces([
      { thread: 'a', ageMs: 3 * HOUR_MS, error: 'it broke' },
      { thread: 'a', ageMs: 2 * HOUR_MS },
      { thread: 'b', ageMs: HOUR_MS },
      { thread: 'b', ageMs: 30 * HOUR_MS },
      { ageMs: 1000 },
    ])
    const run_id = traces[0]!.root
    await app.call(contract.feedback.create, { body: { run_id, trace_id: run_id, key: 'ok', score: 1 } })
    expect(await totals({ project_id: projectId, select: ALL })).toEqual({
      thread_count: 2,
      trace_count: 3,
      total_tokens: 90,
      total_cost: 2.25,
      error_rate: 1 / 3,
      streaming_rate: 1,
      latency_p50_seconds: 2,
      latency_p99_seconds: 2,
      median_tokens: 30,
      first_token_p50_seconds: 1.5,
      first_token_p99_seconds: 1.5,
      prompt_tokens: 60,
      completion_tokens: 30,
      prompt_cost: 1.5,
      completion_cost: 0.75,
      prompt_token_details: { cache_read: 15 },
      completion_token_details: {},
      prompt_cost_details: {},
      completion_cost_details: {},
      thread_feedback_stats: { ok: expect.objectContaining({ n: 1, avg: 1 }) },
    })
    const one = { project_id: projectId, select: ['TRACE_COUNT', 'latency_p50'] }
    expect(await totals(one)).toEqual({ trace_count: 3, latency_p50_seconds: 2 })
    expect(await totals({ ...one, min_start_time: traces[3]!.times[0] })).toMatchObject({ trace_count: 4 })
    expect(await totals({ ...one, max_start_time: traces[2]!.times[0] })).toMatchObject({ trace_count: 2 })
  })

  it('cover whole threads that match the filters', async () => {
    const { projectId } = await createTraces([
      { thread: 'a', ageMs: 3 * HOUR_MS, error: 'it broke' },
      { thread: 'a', ageMs: 2 * HOUR_MS },
      { thread: 'b', ageMs: HOUR_MS },
    ])
    const counts = (filters: object) =>
      totals({ project_id: projectId, select: ['THREAD_COUNT', 'TRACE_COUNT', 'TOTAL_TOKENS'], ...filters })
    const ofA = { thread_count: 1, trace_count: 2, total_tokens: 60 }
    expect(await counts({ thread_filter: 'gt(turn_count, 1)' })).toEqual(ofA)
    expect(await counts({ thread_filter: 'gt(total_tokens, 40)' })).toEqual(ofA)
    expect(await counts({ trace_filter: 'eq(status, "error")' })).toEqual(ofA)
    expect(await counts({ tree_filter: 'eq(run_type, "llm")' })).toMatchObject({ thread_count: 2 })
    expect(await counts({ filter: 'eq(status, "error")' })).toEqual({ ...ofA, trace_count: 1, total_tokens: 30 })
  })

  it('are 0 or null without threads', async () => {
    const body = await totals({ project_id: uuid7(), select: ALL })
    expect(body).toMatchObject({ thread_count: 0, trace_count: 0, total_tokens: 0, thread_feedback_stats: {} })
    const nulls = ['error_rate', 'streaming_rate', 'latency_p50_seconds', 'first_token_p99_seconds', 'median_tokens']
    for (const key of [...nulls, 'total_cost', 'prompt_cost']) expect(body).toHaveProperty(key, null)
    for (const select of [[], ['NOTHING'], undefined]) {
      expect((await app.call(threadsV2.totals, { body: { project_id: uuid7(), select } })).status).toBe(400)
    }
  })
})

describe('sharing a thread', () => {
  const ofProject = (projectId: string, thread_id = 'a / b') => ({
    params: { thread_id },
    query: { project_id: projectId },
    body: { project_id: projectId },
  })
  const share = (projectId: string) => app.call(threadsV2.share, ofProject(projectId))
  const unshare = ({ params, query }: ReturnType<typeof ofProject>) => app.call(threadsV2.unshare, { params, query })
  const tokenOf = async (projectId: string) => {
    const { params, query } = ofProject(projectId)
    return (await app.call(threadsV2.readShare, { params, query })).body
  }
  const read = (share_token: string, query = {}) => app.call(threadsV2.publicTraces, { params: { share_token }, query })

  it('creates one token, returns it, and revokes it', async () => {
    const { projectId, traces } = await createTraces([{ thread: 'a / b' }, { thread: 'other' }])
    expect(await tokenOf(projectId)).toEqual({})
    const { share_token } = (await share(projectId)).body
    expect((await share(projectId)).body).toEqual({ share_token })
    expect(await tokenOf(projectId)).toEqual({ share_token })

    const { body } = await read(share_token, { selects: ['NAME', 'INPUTS'] })
    const inputs = { question: `of ${traces[0]!.root}` }
    expect(body).toEqual({ thread_id: 'a / b', items: [{ trace_id: traces[0]!.root, name: 'answer', inputs }] })

    const listed = (await app.call(contract.sharing.listShared)).body.entities
    expect(listed).toContainEqual(expect.objectContaining({ type: 'thread', share_token, thread_id: 'a / b' }))

    for (let times = 0; times < 2; times++) expect((await unshare(ofProject(projectId))).status).toBe(204)
    expect(await tokenOf(projectId)).toEqual({})
    expect((await read(share_token)).status).toBe(404)
  })

  it('is rejected for an unknown thread, and ends with its project or when all tokens are revoked', async () => {
    expect((await share(uuid7())).status).toBe(404)
    expect((await unshare(ofProject(uuid7(), 'nothing'))).status).toBe(204)
    expect((await read(uuid7())).status).toBe(404)
    expect((await read('no token')).status).toBe(404)

    const [first, second] = [await createTraces([{ thread: 'a / b' }]), await createTraces([{ thread: 'a / b' }])]
    const [one, other] = [(await share(first.projectId)).body, (await share(second.projectId)).body]
    expect(one.share_token).not.toBe(other.share_token)
    await app.call(contract.projects.delete, { params: { session_id: first.projectId } })
    expect((await read(one.share_token)).status).toBe(404)
    expect((await read(other.share_token)).status).toBe(200)
    await app.call(contract.sharing.unshare, { body: { share_tokens: [other.share_token] } })
    expect((await read(other.share_token)).status).toBe(404)
  })

  it('supports pages, and rejects filters on other runs', async () => {
    const { projectId, traces } = await createTraces([{ thread: 'a / b', ageMs: 2 * HOUR_MS }, { thread: 'a / b' }])
    const { share_token } = (await share(projectId)).body
    const page = (await read(share_token, { page_size: '1' })).body
    expect(page.items).toEqual([{ trace_id: traces[0]!.root }])
    const next = await read(share_token, { page_size: '1', cursor: page.next_cursor!, filter: 'eq(name, "none")' })
    expect(next.body).toEqual({ thread_id: 'a / b', items: [{ trace_id: traces[1]!.root }] })
  })
})

describe('grouping runs by thread', () => {
  it('lists a thread whose only root gets another start time while the list is read', async () => {
    const { projectId, traces } = await createTraces([{ thread: 'before' }])
    const [root] = traces[0]!.post
    const id = uuid7()
    const extra = { metadata: { thread_id: 'moved' } }
    const update = { id, trace_id: id, session_id: projectId, extra }
    expect((await app.call(runs.batch, { body: { patch: [update] } })).status).toBe(202)
    const start_time = new Date(Date.now() - HOUR_MS).toISOString()
    const create = { ...root, ...update, start_time, dotted_order: undefined }

    const { analytics } = app.deps
    let moved: Promise<unknown> | undefined
    const query = async <Row>(statement: Sql, row: RowDecoder<Row>) => {
      const rows = await analytics.query(statement, row)
      moved ??= app.call(runs.batch, { body: { post: [create] } })
      await moved
      return rows
    }
    const { id: tenantId } = (await app.call(contract.workspaces.settings)).body
    const { groups } = await listThreadGroups({ analytics: { ...analytics, query } }, tenantId, {
      session_id: projectId,
      group_by: 'conversation',
      limit: 10,
      offset: 0,
    })
    expect(groups.map((group) => group.thread_id)).toEqual(['moved', 'before'])
  })
})
