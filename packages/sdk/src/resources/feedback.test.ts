import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const OTHER = '7f3c1c1e-0d7b-4a53-9a5e-3f6a2b7d1c10'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { id: ID } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const bodies = () => server.requests.map(({ body }) => JSON.parse(body.toString()))
const lastBody = () => bodies().at(-1)
const lines = () =>
  server.requests.map(({ method, path, query }) => `${method} ${path}${query.size ? `?${query}` : ''}`)

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** A list of so many items, paged as the server does it. */
function serveList(total: number) {
  server.respond(({ query }) => {
    const [offset, limit] = [Number(query.get('offset')), Math.min(Number(query.get('limit')), 100)]
    return {
      body: Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => ({ id: offset + at })),
    }
  })
}

describe('the feedback rules of the client', () => {
  it.each([
    ['neither run nor project', () => client.createFeedback(null, 'k'), 'One of runId or projectId must be provided'],
    ['one object of neither', () => client.createFeedback({ key: 'k' }), 'One of runId or projectId must be provided'],
    [
      'both run and project',
      () => client.createFeedback(ID, 'k', { projectId: ID }),
      'Only one of runId or projectId can be provided',
    ],
    [
      'one object of both',
      () => client.createFeedback({ runId: ID, projectId: ID, key: 'k' }),
      'Only one of runId or projectId can be provided',
    ],
    [
      'a thread without its project',
      () => client.createFeedback(ID, 'k', { threadId: 't' }),
      'A threadId needs the projectId of the thread',
    ],
    ['a bad run', () => client.createFeedback('x', 'k'), 'Invalid UUID for runId: x'],
    ['a bad project', () => client.createFeedback(null, 'k', { projectId: 'x' }), 'Invalid UUID for projectId: x'],
    ['a bad source run', () => client.createFeedback(ID, 'k', { sourceRunId: 'x' }), 'Invalid UUID for sourceRunId: x'],
    ['a bad id to read', () => client.readFeedback('x'), 'Invalid UUID: x'],
    ['a bad id to update', () => client.updateFeedback('x', {}), 'Invalid UUID: x'],
    ['a bad id to delete', () => client.deleteFeedback('x'), 'Invalid UUID: x'],
    ['a bad run to list', () => client.listFeedback({ runIds: [ID, 'x'] }).next(), 'Invalid UUID for runIds[1]: x'],
    ['a bad run for a token', () => client.createPresignedFeedbackToken('x', 'k'), 'Invalid UUID: x'],
    ['a bad run of tokens', () => client.listPresignedFeedbackTokens('x').next(), 'Invalid UUID: x'],
    ['a bad token to revoke', () => client.revokePresignedFeedbackToken('x'), 'Invalid UUID: x'],
  ])('refuse %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })
})

describe('creating feedback', () => {
  it('on a thread names the thread and its project', async () => {
    await client.createFeedback(null, 'solved', { projectId: ID, threadId: 'a / b', score: 1 })
    expect(lastBody()).toMatchObject({ run_id: null, session_id: ID, feedback_thread_id: 'a / b', score: 1 })
  })

  it('sends what is given in the spelling of the wire, and returns it', async () => {
    const feedbackConfig = { type: 'continuous', min: 0, max: 1 } as const
    const sourceInfo = { judge: 'gold' }
    const created = await client.createFeedback(ID, 'correctness', {
      score: 1 / 3,
      value: 'good',
      correction: { a: 1 },
      comment: 'ok',
      sourceInfo,
      feedbackSourceType: 'model',
      sourceRunId: OTHER,
      feedbackId: OTHER,
      feedbackConfig,
      comparativeExperimentId: OTHER,
      sessionId: OTHER,
      startTime: '2025-07-10T04:42:19.034001Z',
      traceId: OTHER,
      extendTraceRetention: false,
    })

    expect(lastBody()).toEqual({
      id: OTHER,
      run_id: ID,
      trace_id: OTHER,
      key: 'correctness',
      score: 0.3333,
      value: 'good',
      correction: { a: 1 },
      comment: 'ok',
      feedback_source: { type: 'model', metadata: { judge: 'gold', __run: { run_id: OTHER } } },
      comparative_experiment_id: OTHER,
      feedbackConfig,
      session_id: OTHER,
      start_time: '2025-07-10T04:42:19.034001Z',
      extend_trace_retention: false,
    })
    expect(created).toEqual(lastBody())
    expect(sourceInfo).toEqual({ judge: 'gold' })
    expect(lines()).toEqual(['POST /feedback'])
  })

  it('makes a new id and leaves out what is not given', async () => {
    const created = await client.createFeedback({ runId: ID, key: 'k', score: true })
    expect(created.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(lastBody()).toEqual({
      id: created.id,
      run_id: ID,
      key: 'k',
      score: true,
      feedback_source: { type: 'api', metadata: {} },
    })
  })

  it('on a project sends it as the session', async () => {
    await client.createFeedback(null, 'k', { projectId: OTHER, score: 0 })
    expect(lastBody()).toMatchObject({ run_id: null, session_id: OTHER, score: 0 })
  })

  it('is returned but not sent when its trace is not recorded', async () => {
    const silent = new Client({ apiUrl: server.url, tracingSamplingRate: 0 })
    expect(await silent.createFeedback(ID, 'k', { score: 1 })).toMatchObject({ run_id: ID, score: 1 })
    expect(server.requests).toHaveLength(0)
    await silent.createFeedback(null, 'k', { projectId: ID })
    expect(server.requests).toHaveLength(1)
  })

  it('follows the options of a call in either form', async () => {
    const signal = AbortSignal.abort(new Error('changed my mind'))
    await expect(client.createFeedback({ runId: ID, key: 'k' }, { signal })).rejects.toThrow('changed my mind')
    await expect(client.createFeedback(ID, 'k', {}, { signal })).rejects.toThrow('changed my mind')
    expect(server.requests).toHaveLength(0)
  })
})

describe('changing and reading feedback', () => {
  it('sends only what is given; null clears a field', async () => {
    await client.updateFeedback(ID, { score: 0.123456, value: null, comment: 'c' })
    expect(lastBody()).toEqual({ score: 0.1235, value: null, comment: 'c' })
    await client.updateFeedback(ID, { score: 1, expected: { score: 0.123456 } })
    expect(lastBody()).toEqual({ score: 1, expected: { score: 0.123456 } })
    await client.readFeedback(ID)
    await client.deleteFeedback(ID)
    expect(lines().slice(1)).toEqual([`PATCH /feedback/${ID}`, `GET /feedback/${ID}`, `DELETE /feedback/${ID}`])
  })

  it('tells absence by name and status', async () => {
    server.respond(() => ({ status: 404, body: { detail: 'Feedback not found' } }))
    await expect(client.readFeedback(ID)).rejects.toMatchObject({ status: 404, name: 'LangSmithNotFoundError' })
  })

  it('lists past a hundred, a page when the one before is used up', async () => {
    serveList(230)
    const list = client.listFeedback({ runIds: [ID, OTHER], feedbackKeys: ['a', 'b'], feedbackSourceTypes: ['api'] })
    expect(server.requests).toHaveLength(0)
    expect(await collect(list)).toHaveLength(230)
    expect(server.requests.map(({ query }) => query.get('offset'))).toEqual(['0', '100', '200'])
    const { query } = server.requests[0]!
    expect([query.getAll('run'), query.getAll('key'), query.getAll('source')]).toEqual([
      [ID, OTHER],
      ['a', 'b'],
      ['api'],
    ])
  })

  it('lists everything without conditions', async () => {
    serveList(1)
    expect(await collect(client.listFeedback())).toHaveLength(1)
    await client.queryFeedback({ level: 'session', has_comment: true })
    expect(lines()).toEqual(['GET /feedback?offset=0&limit=100', 'GET /feedback?level=session&has_comment=true'])
  })
})

describe('logging the results of an evaluator', () => {
  const run = { id: ID, session_id: OTHER, trace_id: ID, start_time: '2025-07-10T04:42:19.034001Z' } as never

  it('gives one feedback of type model per result, in order', async () => {
    const results = [
      { key: 'a', score: true, evaluatorInfo: { by: 'x', version: 1 } },
      { key: 'b', value: 'v', comment: 'c', sourceRunId: OTHER, targetRunId: OTHER },
    ]
    const logged = await client.logEvaluationFeedback({
      evaluatorResponse: { results },
      run,
      sourceInfo: { by: 'y' },
    })

    expect(logged).toEqual(results)
    const place = { session_id: OTHER }
    expect(bodies()).toMatchObject([
      {
        ...place,
        run_id: ID,
        trace_id: ID,
        key: 'a',
        score: true,
        start_time: '2025-07-10T04:42:19.034001Z',
        feedback_source: { type: 'model', metadata: { by: 'y', version: 1 } },
      },
      { ...place, run_id: OTHER, key: 'b', feedback_source: { type: 'model', metadata: { __run: { run_id: OTHER } } } },
    ])
    expect(bodies()[1]).not.toHaveProperty('start_time')
  })

  it('takes one result, a list and positions', async () => {
    await client.logEvaluationFeedback({ key: 'a', score: 1 }, run)
    await client.logEvaluationFeedback([{ key: 'b' }, { key: 'c' }], run, { by: 'me' })
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  })

  it('without a run is on the project', async () => {
    await client.logEvaluationFeedback({ evaluatorResponse: { key: 'mean', score: 0.5 }, projectId: OTHER })
    expect(lastBody()).toMatchObject({ run_id: null, session_id: OTHER })
  })
})

describe('presigned feedback tokens', () => {
  it.each([
    [undefined, { expires_in: { hours: 3 } }],
    [{}, { expires_in: { hours: 3 } }],
    [{ days: 1, minutes: 5 }, { expires_in: { days: 1, minutes: 5 } }],
    ['2026-01-01T00:00:00Z', { expires_at: '2026-01-01T00:00:00Z' }],
  ])('made to last %j', async (expiration, expected) => {
    await client.createPresignedFeedbackToken(ID, 'vote', { expiration })
    expect(lastBody()).toEqual({ run_id: ID, feedback_key: 'vote', ...expected })
  })

  it('are listed past a hundred, and revoked', async () => {
    serveList(101)
    expect(await collect(client.listPresignedFeedbackTokens(ID))).toHaveLength(101)
    server.respond(() => ({ body: {} }))
    await client.revokePresignedFeedbackToken(OTHER)
    expect(lines().slice(1)).toEqual([
      `GET /feedback/tokens?run_id=${ID}&offset=100&limit=100`,
      `DELETE /feedback/tokens/${OTHER}`,
    ])
  })
})

describe('feedback configs', () => {
  it('are created, changed and deleted by key', async () => {
    const feedbackConfig = { type: 'categorical', categories: [{ value: 1, label: 'good' }] } as const
    await client.createFeedbackConfig({ feedbackKey: 'tone', feedbackConfig: { ...feedbackConfig, categories: [] } })
    await client.updateFeedbackConfig('tone', { isLowerScoreBetter: true })
    expect(bodies()).toEqual([
      { feedback_key: 'tone', feedback_config: { type: 'categorical', categories: [] }, is_enforced: false },
      { feedback_key: 'tone', is_lower_score_better: true },
    ])
    server.respond(() => ({ status: 204 }))
    await client.deleteFeedbackConfig('tone of voice')
    expect(lines()).toEqual([
      'POST /feedback-configs',
      'PATCH /feedback-configs',
      'DELETE /feedback-configs?feedback_key=tone+of+voice',
    ])
  })

  it('are changed and deleted one by one where a key has several', async () => {
    await client.createFeedbackConfig({ feedbackKey: 'tone', feedbackConfig: { type: 'freeform' }, isEnforced: true })
    await client.updateFeedbackConfig('tone', { feedbackConfig: { type: 'freeform' }, configId: OTHER })
    await client.addFeedbackCategories('tone', [{ value: 2, label: 'warm' }], { configId: OTHER })
    await client.removeFeedbackCategories('tone', [2])
    expect(bodies()).toEqual([
      { feedback_key: 'tone', feedback_config: { type: 'freeform' }, is_enforced: true },
      { feedback_key: 'tone', id: OTHER, feedback_config: { type: 'freeform' } },
      { feedback_key: 'tone', id: OTHER, add_categories: [{ value: 2, label: 'warm' }] },
      { feedback_key: 'tone', remove_categories: [2] },
    ])
    server.respond(() => ({ status: 204 }))
    await client.deleteFeedbackConfig(undefined, { configId: OTHER })
    expect(lines().at(-1)).toBe(`DELETE /feedback-configs?id=${OTHER}`)
  })

  it('are listed up to a total', async () => {
    serveList(500)
    expect(
      await collect(
        client.listFeedbackConfigs({
          feedbackKeys: ['a', 'b'],
          nameContains: 'x',
          includeAllConfigs: true,
          isEnforced: false,
          limit: 150,
        }),
      ),
    ).toHaveLength(150)
    expect(Object.fromEntries(server.requests[1]!.query)).toMatchObject({
      offset: '100',
      limit: '50',
      name_contains: 'x',
      include_all_configs: 'true',
      is_enforced: 'false',
    })
  })
})
