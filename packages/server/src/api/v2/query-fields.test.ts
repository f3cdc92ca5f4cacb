import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { runsV2, threadsV2, runs } = contract
const MINUTE_MS = 60_000

let app: StartedApp
let projectId: string
let traces: ReturnType<typeof aTrace>[]
beforeAll(async () => {
  app = await startApp()
  const project = `fields-${uuid7()}`
  traces = [3, 2, 1].map((minutes) => aTrace({ project, thread: 'chat', ageMs: minutes * MINUTE_MS }))
  await app.call(runs.batch, { body: { post: traces.flatMap((trace) => trace.post) } })
  projectId = (await app.call(runs.read, { params: { run_id: traces[0]!.root } })).body.session_id
})
afterAll(() => app.close())

const roots = () => traces.map((trace) => trace.root)

describe('the first token of a run', () => {
  const first = async (include_subtree_usage?: boolean) => {
    const selects = ['ID', 'FIRST_TOKEN_TIME', 'TOTAL_TOKENS']
    const body = { project_ids: [projectId], trace_id: roots()[0], selects, sort_order: 'ASC', include_subtree_usage }
    return (await app.call(runsV2.query, { body })).body.items.map((item) => [item.first_token_time, item.total_tokens])
  }

  it('is its own, or that of anything below it', async () => {
    const token = traces[0]!.times[2]
    expect(await first()).toEqual([
      [null, 30],
      [token, 30],
    ])
    expect(await first(true)).toEqual([
      [token, 30],
      [token, 30],
    ])
  })
})

describe('bounds of the time of feedback', () => {
  const give = async (run_id: string) => {
    const body = { run_id, trace_id: run_id, key: 'correct', score: 1 }
    return (await app.call(contract.feedback.create, { body })).body.modified_at
  }
  const later = (time: string) => new Date(Date.parse(time) + 1).toISOString()
  const filter = 'eq(feedback_key, "correct")'

  it('narrow the feedback that conditions speak of', async () => {
    const [one, other] = roots()
    const early = await give(one!)
    await expect.poll(() => new Date().toISOString() > later(early)).toBe(true)
    const late = await give(other!)
    const runsOf = async (window: object) => {
      const body = { project_ids: [projectId], is_root: true, filter, ...window }
      return (await app.call(runsV2.query, { body })).body.items.map((item) => item.id)
    }
    expect(await runsOf({})).toEqual([other, one])
    expect(await runsOf({ min_feedback_modified_at: early })).toEqual([other, one])
    expect(await runsOf({ min_feedback_modified_at: late })).toEqual([other])
    expect(await runsOf({ max_feedback_modified_at: late })).toEqual([one])
    expect(await runsOf({ min_feedback_modified_at: early, max_feedback_modified_at: early })).toEqual([])
    const inTrace = { filter: undefined, trace_filter: filter, max_feedback_modified_at: late }
    expect(await runsOf(inTrace)).toEqual([one])
    const body = { project_id: projectId, trace_filter: filter, max_feedback_modified_at: late, selects: ['ID'] }
    const { items } = (await app.call(runsV2.queryTraces, { body })).body
    expect(items.map((item) => item.root_run.id)).toEqual([one])
  })

  it('need a condition on feedback', async () => {
    const window = { min_feedback_modified_at: '2026-01-01T00:00:00Z' }
    for (const body of [window, { ...window, filter: 'eq(name, "answer")' }]) {
      const answer = await app.call(runsV2.query, { body: { project_ids: [projectId], ...body } })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('need a condition on feedback')
      expect((await app.call(runsV2.queryTraces, { body: { project_id: projectId, ...window } })).status).toBe(400)
    }
  })
})

describe('semantic search', () => {
  it.each(['ai_search', 'sem_filter'])('is not offered, and %s not repeated', async (field) => {
    const asked = [
      [runsV2.query, { project_ids: [projectId] }],
      [runsV2.queryTraces, { project_id: projectId }],
      [threadsV2.query, { project_id: projectId }],
    ] as const
    for (const [route, body] of asked) {
      const answer = await app.call(route, { body: { ...body, [field]: 'angry users' } })
      expect(answer.status).toBe(501)
      expect(answer.headers.get('x-should-retry')).toBe('false')
      expect(answer.body).toMatchObject({ status: 501, detail: expect.stringContaining(field) })
      for (const nothing of [null, '', ' ']) {
        expect((await app.call(route, { body: { ...body, [field]: nothing } })).status).toBe(200)
      }
    }
  })
})

describe('traces of a thread', () => {
  const list = async (query: Record<string, string | string[]>) => {
    const params = { thread_id: 'chat' }
    return (await app.call(threadsV2.traces, { params, query: { project_id: projectId, ...query } })).body.items
  }

  it('tell their place in the whole thread, whatever is filtered or paged', async () => {
    const numbered = roots().map((trace_id, at) => ({ trace_id, turn_number: at + 1 }))
    expect(await list({ selects: ['TURN_NUMBER'] })).toEqual(numbered)
    const filter = `eq(id, "${roots()[2]}")`
    expect(await list({ selects: ['TURN_NUMBER'], filter })).toEqual([numbered[2]])
    expect(await list({ selects: ['TURN_NUMBER'], trace_filter: filter })).toEqual([numbered[2]])
    const ofModel = `eq(id, "${traces[1]!.llm}")`
    expect(await list({ selects: ['TURN_NUMBER'], tree_filter: ofModel })).toEqual([numbered[1]])
  })

  it('leave the place out when it is not selected', async () => {
    expect(await list({ page_size: '1' })).toEqual([{ trace_id: roots()[0] }])
  })
})

describe('what v2 does not have', () => {
  it('hides the caller that traced a run', async () => {
    const body = { project_ids: [projectId], is_root: true, selects: ['LS_USER_ID'] }
    expect((await app.call(runsV2.query, { body })).body.items[0]).toEqual({ ls_user_id: null })
  })

  it('answers unknown paths with a problem as JSON', async () => {
    for (const path of ['/v2/ai-search/parse', '/api/v2/ai-search/parse', '/api/v2/nothing/here', '/v2/sql']) {
      const answer = await app.fetch(path, { method: 'POST', body: '{}', headers: { accept: '*/*' } })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('content-type')).toContain('json')
      expect(await answer.json()).toMatchObject({ request_id: expect.any(String) })
    }
  })
})
