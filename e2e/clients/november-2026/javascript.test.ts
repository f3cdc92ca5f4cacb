import { gunzipSync } from 'node:zlib'
import { AgentAddress, type Client } from 'langsmith'
import { traceable } from 'langsmith/traceable'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startFaultyProxy } from '../../support/faulty-proxy.ts'
import { aRunHead, multipart, postMultipart } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from '../javascript/a-client.ts'
import { aConversation } from '../javascript/a-conversation.ts'
import { PUBLIC_LIBRARIES } from '../javascript/public-libraries.ts'

let server: SharedServer
let client: Client
beforeAll(async () => {
  server = await shareServer()
  client = aClient(server.url)
})
afterAll(() => server?.stop())

/** A function that is traced as one root run. */
const echo = (tracer: Client, more: object = {}) =>
  traceable(async (question: string) => ({ answer: question }), {
    name: 'echo',
    client: tracer,
    tracingEnabled: true,
    ...more,
  })

describe('an agent address', () => {
  it('in the two variables sends traces, feedback and links to the project that it resolves to', async () => {
    vi.stubEnv('LANGSMITH_AGENT_ID', 'customer-support')
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', 'Production')
    await echo(client)('Is it gold?')
    await client.awaitPendingTraceBatches()
    vi.unstubAllEnvs()

    const address = new AgentAddress('customer-support', 'production')
    const { session_id: sessionId } = await client.sessions.resolve(address)
    const projectId = sessionId!
    const [run, ...others] = await collect(client.listRuns({ projectId }))
    expect(run).toMatchObject({ name: 'echo', outputs: { answer: 'Is it gold?' }, status: 'success' })
    expect(others).toEqual([])
    expect(await collect(client.listRuns({ projectName: 'default' }))).toEqual([])

    const feedback = await client.createFeedback({ runId: run!.id, address, key: 'tone', score: 1 })
    expect(await client.readFeedback(feedback.id)).toMatchObject({ run_id: run!.id, session_id: projectId })
    expect(await client.getRunUrl({ runId: run!.id, address })).toContain(`/projects/p/${projectId}/r/${run!.id}`)
  })

  it('that no trace named resolves to nothing, and creates nothing', async () => {
    const absent = { kind: 'AGENT', id: 'absent', environment: 'LOCAL' } as const
    await expect(client.sessions.resolve(absent)).rejects.toMatchObject({ status: 404 })
    await expect(client.agents.retrieve('absent')).rejects.toMatchObject({ status: 404 })
  })
})

describe('a compressed batch', () => {
  it('carries the start and the end of a traced function in one request, and gives one finished run', async () => {
    const proxy = await startFaultyProxy(server.url)
    const tracer = aClient(proxy.url)
    const project_name = aProjectName('packed')

    await echo(tracer, { project_name })('gold')
    await tracer.awaitPendingTraceBatches()
    await proxy.close()

    const batches = proxy.seen.filter(({ path }) => path.endsWith('/runs/multipart'))
    expect(batches).toHaveLength(1)
    const [batch] = batches
    const encoding = batch!.headers['content-encoding']
    expect(['gzip', 'zstd']).toContain(encoding)
    if (encoding === 'gzip') {
      const names = gunzipSync(batch!.body)
        .toString()
        .match(/name="(post|patch)\.[^".]+"/g)
      expect(names?.map((name) => name.slice(6).split('.')[0])).toEqual(['post', 'patch'])
    }
    const runs = await collect(client.listRuns({ projectName: project_name }))
    expect(runs).toMatchObject([{ status: 'success', inputs: { input: 'gold' }, outputs: { answer: 'gold' } }])
    expect(runs[0]!.end_time).toBeTruthy()
  })
})

describe('a server that stores a batch and then answers 500', () => {
  it.each(PUBLIC_LIBRARIES)('has each run of client $version once', async ({ Client }) => {
    let failures = 1
    const proxy = await startFaultyProxy(server.url, ({ path }) =>
      path.endsWith('/runs/multipart') && failures-- > 0 ? { status: 500, afterStoring: true } : undefined,
    )
    const tracer = aClient(proxy.url, {}, Client)
    const project_name = aProjectName('once')

    const ask = echo(tracer, { project_name })
    await Promise.all(['a', 'b', 'c'].map((question) => ask(question)))
    await tracer.awaitPendingTraceBatches()
    await proxy.close()

    const runs = await collect(client.listRuns({ projectName: project_name }))
    expect(runs.map((run) => (run.outputs as { answer: string }).answer).sort()).toEqual(['a', 'b', 'c'])
    expect(await client.getRunStats({ projectNames: [project_name] })).toMatchObject({ run_count: 3, error_rate: 0 })
  })

  it('has each run once when twelve identical requests come at the same time', async () => {
    const session_name = aProjectName('storm')
    const heads = Array.from({ length: 20 }, (_, at) => aRunHead({ name: `run ${at}`, session_name, inputs: { at } }))
    const feedback = { id: crypto.randomUUID(), run_id: heads[0]!.id, trace_id: heads[0]!.id, key: 'tone', score: 1 }
    const body = multipart([
      ...heads.map((head) => ({ name: `post.${head.id}`, body: JSON.stringify(head) })),
      { name: `feedback.${feedback.id}`, body: JSON.stringify(feedback) },
    ])

    const answers = await Promise.all(Array.from({ length: 12 }, () => postMultipart(server.url, body)))

    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 202))
    const runs = await collect(client.listRuns({ projectName: session_name }))
    expect(runs.map((run) => run.id).sort()).toEqual(heads.map((head) => head.id).sort())
    expect(await client.getRunStats({ projectNames: [session_name] })).toMatchObject({
      run_count: 20,
      feedback_stats: { tone: { n: 1 } },
    })
  })
})

it('streamed query items equal those of the JSON pages', async () => {
  const { projectId } = await aConversation(client, 5)
  const window = {
    min_start_time: new Date(Date.now() - 3_600_000).toISOString(),
    max_start_time: new Date(Date.now() + 60_000).toISOString(),
    page_size: 2,
  }
  const runs = {
    ...window,
    project_ids: [projectId],
    selects: ['ID', 'NAME', 'INPUTS', 'OUTPUTS', 'TOTAL_COST'] as const,
  }
  const traces = { ...window, project_id: projectId }
  const threads = { ...window, project_id: projectId }

  const asJson = [
    await collect(client.runs.queryV2(runs as never)),
    await collect(client.traces.query(traces)),
    await collect(client.threads.query(threads)),
  ]
  const asStream = [
    await collect(client.runs.streaming.queryV2Items(runs as never)),
    await collect(client.traces.streaming.queryItems(traces)),
    await collect(client.threads.streaming.queryItems(threads)),
  ]

  expect(asJson.map((items) => items.length)).toEqual([10, 5, 1])
  expect(asStream).toEqual(asJson)
})

describe('updateDatasetSplits', () => {
  it.each([
    ['adds and removes', false],
    ['adds and removes by the older route on a server that answers 405 to the newer one', true],
  ])('%s', async (_, isOlder) => {
    const isMetadataRoute = (path: string) => path.endsWith('/examples/metadata')
    const proxy = await startFaultyProxy(server.url, ({ path }) =>
      isOlder && isMetadataRoute(path) ? { status: 405 } : undefined,
    )
    const writer = aClient(proxy.url)
    const { id: datasetId } = await writer.createDataset(aProjectName('splits'))
    const examples = await writer.createExamples(
      [1, 2, 3].map((n) => ({ inputs: { n }, dataset_id: datasetId, metadata: { kept: n } })),
    )
    const exampleIds = examples.slice(0, 2).map((example) => example.id)

    await writer.updateDatasetSplits({ datasetId, splitName: 'test', exampleIds })
    await writer.updateDatasetSplits({ datasetId, splitName: 'test', exampleIds: [exampleIds[0]!], remove: true })
    const left = await collect(writer.listExamples({ datasetId, splits: ['test'] }))
    await proxy.close()

    expect(left.map((example) => example.id)).toEqual([exampleIds[1]])
    expect(left[0]!.metadata).toEqual({ kept: 2, dataset_split: expect.arrayContaining(['base', 'test']) })
    expect(proxy.seen.filter(({ path }) => isMetadataRoute(path))).toHaveLength(2)
    expect(proxy.seen.filter(({ path }) => path.endsWith('/splits') && isOlder)).toHaveLength(isOlder ? 2 : 0)
  })
})

it('updateFeedback with a comment of null clears it and keeps the score', async () => {
  const { traces, projectId } = await aConversation(client, 1)
  const given = await client.createFeedback({
    runId: traces[0]!.root.id,
    sessionId: projectId,
    key: 'tone',
    score: 0.5,
    comment: 'too long',
  })
  await client.updateFeedback(given.id, { comment: null } as never)
  expect(await client.readFeedback(given.id)).toMatchObject({ score: 0.5, comment: null })
})

it('the list of evaluators ends', async () => {
  expect(await collect(client.evaluators.list({ limit: 1 }))).toEqual([])
})
