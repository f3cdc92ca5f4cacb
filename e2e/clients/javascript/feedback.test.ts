import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from './a-client.ts'
import { PUBLIC_LIBRARIES } from './public-libraries.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

describe('feedback configs of our client', () => {
  it('are enforced beside the config of their key, and change category by category', async () => {
    // The client repeats a request that is answered 422, for more than a minute.
    const client = new Client({ apiUrl: `${server.url}/api/v1`, callerOptions: { maxRetries: 0 } })
    const feedbackKey = aProjectName('tone')
    const categories = [
      { value: 1, label: 'polite' },
      { value: 0, label: 'rude' },
    ]
    const own = await client.createFeedbackConfig({ feedbackKey, feedbackConfig: { type: 'freeform' } })
    const feedbackConfig = { type: 'categorical', categories, allows_multiple_categories: true } as const
    const enforced = await client.createFeedbackConfig({ feedbackKey, feedbackConfig, isEnforced: true })

    const added = await client.addFeedbackCategories(feedbackKey, [{ value: 2, label: 'warm' }])
    expect(added).toMatchObject({ id: enforced.id, feedback_config: { allows_multiple_categories: true } })
    const removed = await client.removeFeedbackCategories(feedbackKey, [0], { configId: enforced.id! })
    expect(removed.feedback_config.categories?.map(({ label }) => label)).toEqual(['polite', 'warm'])
    await expect(client.removeFeedbackCategories(feedbackKey, [1])).rejects.toMatchObject({ status: 422 })

    const list = (more: object = {}) => collect(client.listFeedbackConfigs({ feedbackKeys: [feedbackKey], ...more }))
    expect((await list()).map(({ id }) => id)).toEqual([enforced.id])
    await client.deleteFeedbackConfig(undefined, { configId: enforced.id! })
    expect((await list()).map(({ id }) => id)).toEqual([own.id])
    expect((await list({ includeAllConfigs: true })).map((config) => config.is_deleted)).toEqual([false, true])
  })
})

const clients = [
  ...PUBLIC_LIBRARIES.map((one) => [`public ${one.version}`, () => aClient(server.url, {}, one.Client)] as const),
  ['own', () => new Client({ apiUrl: `${server.url}/api/v1` }) as unknown as ReturnType<typeof aClient>],
] as const

const ORIGIN = { origin: 'https://customer.example' }

describe.each(clients)('feedback of the %s JavaScript client', (_, connect) => {
  async function givenRun() {
    const client = connect()
    const projectName = aProjectName('judged')
    const head = aRunHead({ name: 'judged', session_name: projectName, inputs: {}, run_type: 'chain' })
    await client.multipartIngestRuns({ runCreates: [head] as never })
    const { id: projectId } = await client.readProject({ projectName })
    return { client, runId: head.id, projectId }
  }

  it('is given, read, listed, changed and deleted', async () => {
    const { client, runId, projectId } = await givenRun()

    const created = await client.createFeedback(runId, 'correctness', {
      score: 1 / 3,
      value: { verdict: 'good' },
      comment: 'ok',
      correction: { answer: 42 },
      sourceInfo: { by: 'hand' },
      sourceRunId: runId,
      feedbackSourceType: 'model',
    })
    await client.createFeedback(runId, 'tone', { score: true })
    expect(await client.readFeedback(created.id)).toMatchObject({
      id: created.id,
      run_id: runId,
      trace_id: runId,
      session_id: projectId,
      key: 'correctness',
      score: 0.3333,
      value: { verdict: 'good' },
      comment: 'ok',
      correction: { answer: 42 },
      feedback_source: { type: 'model', metadata: { by: 'hand', __run: { run_id: runId } } },
    })

    await client.updateFeedback(created.id, { score: 1, comment: 'better' })
    const listed = await collect(client.listFeedback({ runIds: [runId] }))
    expect(listed.map(({ key, score, comment }) => [key, score, comment])).toEqual([
      ['tone', 1, null],
      ['correctness', 1, 'better'],
    ])
    const bySource = client.listFeedback({ runIds: [runId], feedbackSourceTypes: ['model'] })
    expect((await collect(bySource)).map(({ key }) => key)).toEqual(['correctness'])
    expect(await collect(client.listFeedback({ runIds: [runId], feedbackKeys: ['none'] }))).toEqual([])
    expect((await client.readRun(runId)).feedback_stats).toMatchObject({
      correctness: { n: 1, avg: 1, comments: ['better'], sources: ['model'] },
      tone: { n: 1, avg: 1, sources: ['api'] },
    })

    await client.deleteFeedback(created.id)
    await expect(client.readFeedback(created.id)).rejects.toMatchObject({ name: 'LangSmithNotFoundError' })
  })

  it('is given on a project, and on a run that comes later', async () => {
    const { client, projectId } = await givenRun()
    const onProject = await client.createFeedback(null, 'overall', { score: 0.75, projectId })
    expect(await client.readFeedback(onProject.id)).toMatchObject({ run_id: null, session_id: projectId })

    const projectName = aProjectName('late')
    const head = aRunHead({ name: 'late', session_name: projectName, inputs: {}, run_type: 'chain' })
    const early = await client.createFeedback(head.id, 'early', { score: 1 })
    await client.multipartIngestRuns({ runCreates: [head] as never })
    expect(await client.readFeedback(early.id)).toMatchObject({ run_id: head.id, trace_id: head.id, is_root: true })
    const project = await client.readProject({ projectName, includeStats: true })
    expect(project.feedback_stats).toMatchObject({ early: { n: 1, avg: 1 } })
  })

  it('is listed past a hundred, each once', async () => {
    const { client, runId } = await givenRun()
    await Promise.all(Array.from({ length: 120 }, (_, score) => client.createFeedback(runId, 'many', { score })))
    const listed = await collect(client.listFeedback({ runIds: [runId] }))
    expect(new Set(listed.map(({ id }) => id)).size).toBe(120)
  })

  it('is logged for the results of an evaluator', async () => {
    const { client, runId, projectId } = await givenRun()
    const run = await client.readRun(runId)
    const evaluatorResponse = {
      results: [
        { key: 'a', score: true },
        { key: 'b', value: 'v', comment: 'c' },
      ],
    }
    await client.logEvaluationFeedback({ evaluatorResponse, run, projectId, sourceInfo: { version: 2 } })
    await client.awaitPendingTraceBatches()
    const listed = await collect(client.listFeedback({ runIds: [runId] }))
    expect(listed.map(({ key, score, value, feedback_source }) => [key, score, value, feedback_source?.type])).toEqual([
      ['b', null, 'v', 'model'],
      ['a', 1, null, 'model'],
    ])
  })

  it('has configs, which fill in labels', async () => {
    const { client, runId } = await givenRun()
    const feedbackKey = aProjectName('tone')
    const feedbackConfig = {
      type: 'categorical' as const,
      categories: [
        { value: 1, label: 'polite' },
        { value: 0, label: 'rude' },
      ],
    }
    const created = await client.createFeedbackConfig({ feedbackKey, feedbackConfig } as never)
    expect(created).toMatchObject({ feedback_key: feedbackKey, feedback_config: feedbackConfig })
    const other = { feedbackKey, feedbackConfig: { type: 'freeform' } } as never
    await expect(client.createFeedbackConfig(other)).rejects.toMatchObject({ status: 400 })

    const { id } = await client.createFeedback(runId, feedbackKey, { score: 0 })
    expect((await client.readFeedback(id)).value).toBe('rude')

    expect(await client.updateFeedbackConfig(feedbackKey, { isLowerScoreBetter: true })).toMatchObject({
      feedback_config: feedbackConfig,
      is_lower_score_better: true,
    })
    expect(await collect(client.listFeedbackConfigs({ nameContains: feedbackKey }))).toHaveLength(1)
    await client.deleteFeedbackConfig(feedbackKey)
    expect(await collect(client.listFeedbackConfigs({ feedbackKeys: [feedbackKey] }))).toEqual([])
    expect((await client.readFeedback(id)).value).toBe('rude')
  })

  it('comes through tokens from a page of another origin, by GET and by POST', async () => {
    const { client, runId } = await givenRun()
    const token = await client.createPresignedFeedbackToken(runId, 'vote')
    const day = await client.createPresignedFeedbackToken(runId, 'vote', { expiration: { days: 1 } })
    expect(token.url).toMatch(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(Date.parse(token.expires_at) - Date.now()).toBeGreaterThan(2.9 * 3600_000)
    expect(Date.parse(day.expires_at) - Date.now()).toBeGreaterThan(23.9 * 3600_000)

    const preflight = await fetch(token.url, {
      method: 'OPTIONS',
      headers: { ...ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    const got = await fetch(`${token.url}?score=1&comment=nice`, { headers: ORIGIN })
    expect([got.status, got.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    const posted = await fetch(token.url, {
      method: 'POST',
      headers: { ...ORIGIN, 'content-type': 'application/json', 'x-api-key': 'placeholder' },
      body: JSON.stringify({ score: 0, metadata: { page: 'home' } }),
    })
    expect([posted.status, posted.headers.get('access-control-allow-origin')]).toEqual([200, '*'])

    expect(await collect(client.listFeedback({ runIds: [runId] }))).toMatchObject([
      { key: 'vote', score: 0, comment: 'nice', feedback_source: { type: 'api', metadata: { page: 'home' } } },
    ])
    const listed = await collect(client.listPresignedFeedbackTokens(runId))
    expect(listed.map(({ id }) => id).sort()).toEqual([token.id, day.id].sort())
    const unknown = token.url.replace(/[^/]+$/, randomUUID())
    expect((await fetch(`${unknown}?score=1`)).status).toBe(404)
  })
})
