import { PassThrough } from 'node:stream'
import { contract, type EvaluatorJobDetail, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { ANY_ROW } from '../../../storage/rows.ts'
import { type AWorkspace, aWorkspace } from '../../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../../testing/playground.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { evaluatorJobs, savedEvaluators, modelPrices, feedback, playgroundJobs, runs } = contract
/** Cost of a call of the fake provider with the price below. */
const COST = 0.12

describe.each(relationalEngines(import.meta.filename))('judging the runs of experiments on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let fake: FakeProvider
  let ground: APlayground
  let logged = ''
  beforeAll(async () => {
    relational = await open()
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    const sink = new PassThrough()
    sink.on('data', (chunk) => {
      logged += chunk
    })
    app = await startApp({ relational, log: pino({ level: 'trace' }, sink) })
    acme = await aWorkspace(app, 'acme')
    ground = await aPlayground(app, acme, fake)
    const costs = { prompt_cost: '0.001', completion_cost: '0.01' }
    const body = { name: 'fake', match_pattern: '^fake', provider: 'fake', ...costs }
    await app.call(modelPrices.create, { headers: acme.headers, body })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  /** An experiment with a run for each row; of rows without a question, the run failed. */
  async function anExperiment(rows: number, inputs?: (n: number) => object): Promise<string> {
    const { id } = await ground.start(ground.job(await ground.dataset(rows, inputs)))
    return (await ground.reach(id, 'COMPLETED')).variants[0]!.experiment_id
  }
  async function anEvaluator(definition: object): Promise<string> {
    const made = await app.call(savedEvaluators.create, {
      headers: acme.headers,
      body: { name: `e ${uuid7()}`, definition },
    })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  const aJudge = (more: object = {}) =>
    anEvaluator({
      kind: 'llm_judge',
      provider_id: ground.providerId,
      model: 'fake-script',
      messages: [
        {
          role: 'user',
          content:
            '{{question}} {{reference_outputs}} <<<{"correct":{"reasoning":"It is {{question}}.","value":true}}>>>',
        },
      ],
      mapping: { question: 'inputs.question' },
      feedback: [{ key: 'correct', type: 'boolean' }],
      ...more,
    })
  const aFunction = (source: string) => anEvaluator({ kind: 'javascript', source })
  const create = (body: object, headers = acme.headers) => app.call(evaluatorJobs.create, { headers, body })
  const estimate = (body: object) => app.call(evaluatorJobs.estimate, { headers: acme.headers, body })
  const read = async (job_id: string) =>
    (await app.call(evaluatorJobs.read, { headers: acme.headers, params: { job_id } })).body
  async function reach(id: string, state: EvaluatorJobDetail['state']): Promise<EvaluatorJobDetail> {
    await expect.poll(async () => (await read(id)).state, { timeout: 120_000 }).toBe(state)
    return read(id)
  }
  async function judge(body: object): Promise<EvaluatorJobDetail> {
    const made = await create(body)
    expect(made.status, made.text).toBe(200)
    return reach(made.body.id, 'COMPLETED')
  }
  const scores = async (experiment: string) => {
    const ids = (await ground.runs(experiment)).map(({ id }) => String(id))
    return (await app.call(feedback.list, { headers: acme.headers, query: { run: ids, limit: '100' } })).body
  }
  const judgements = () => fake.heard.filter(({ text }) => text.includes('<<<')).length

  it('records scores with reasoning and version, and judges no run twice unless asked', async () => {
    const experiment = await anExperiment(4, (n) => (n === 2 ? { other: 1 } : { question: `question ${n}` }))
    // Calls are made again while their problem may pass.
    const evaluator_id = await aJudge({ model: 'fake-script-flaky' })
    const body = { evaluator_id, experiment_ids: [experiment] }
    const estimated = (await estimate(body)).body
    expect(estimated).toMatchObject({
      version: 1,
      runs: 3,
      left_out: { judged: 0, failed: 1, running: 0 },
      problem: null,
    })
    expect(estimated.prompt_tokens).toBeGreaterThan(0)
    expect(estimated.cost).toBeGreaterThan(0)
    const before = judgements()
    const job = await judge(body)
    expect(job).toMatchObject({
      total: 3,
      done: 3,
      failed: 0,
      failures: [],
      version: 1,
      dataset_id: expect.any(String),
    })
    expect(job.experiments).toMatchObject([{ experiment_id: experiment, total: 3, done: 3 }])
    expect(job.cost).toBeCloseTo(3 * COST)
    expect(judgements() - before).toBe(6)
    const given = await scores(experiment)
    expect(given.map(({ comment }) => comment).sort()).toEqual([
      'It is question 0.',
      'It is question 1.',
      'It is question 3.',
    ])
    expect(given[0]).toMatchObject({
      key: 'correct',
      score: 1,
      feedback_source: { type: 'model', metadata: { evaluator_id, evaluator_version: 1 } },
    })

    const second = await create(body)
    expect(second).toMatchObject({ status: 400, text: expect.stringContaining('3 were judged by this version before') })
    expect((await estimate(body)).body).toMatchObject({ runs: 0, left_out: { judged: 3, failed: 1 } })
    expect(judgements() - before).toBe(6)
    await judge({ ...body, again: true })
    expect(await scores(experiment)).toHaveLength(3)
  }, 120_000)

  it('judges several experiments of one dataset, and names the failures of rows', async () => {
    const dataset = await ground.dataset(3)
    const variants = [ground.variant(), ground.variant({ name: 'b' })]
    const { id } = await ground.start(ground.job(dataset, { variants }))
    const experiment_ids = (await ground.reach(id, 'COMPLETED')).variants.map(({ experiment_id }) => experiment_id)
    const evaluator_id = await aFunction(`function evaluate({ inputs, outputs, reference_outputs }) {
      if (reference_outputs.answer === 1) throw new Error('no judgment')
      return { key: 'long', score: inputs.question.length, comment: outputs.choices[0].message.content }
    }`)
    const job = await judge({ evaluator_id, experiment_ids })
    expect(job).toMatchObject({ total: 6, done: 6, failed: 2, cost: null })
    expect(job.experiments.map(({ total, done, failed }) => [total, done, failed])).toEqual([
      [3, 3, 1],
      [3, 3, 1],
    ])
    expect(job.failures.map(({ experiment_id, problem }) => [experiment_id, problem?.code])).toEqual(
      experiment_ids.map((experiment) => [experiment, 'javascript']),
    )
    expect((await scores(experiment_ids[1]!)).map(({ key, score }) => [key, score])).toEqual([
      ['long', 10],
      ['long', 10],
    ])
    const listed = await app.call(evaluatorJobs.list, { headers: acme.headers, query: { dataset_id: dataset } })
    expect(listed.body).toMatchObject({ total: 1, jobs: [{ id: job.id, done: 6 }] })
    const others = await app.call(playgroundJobs.list, { headers: acme.headers, query: { dataset_id: dataset } })
    expect(others.body.jobs.map((one) => one.id)).toEqual([id])
    expect((await app.call(playgroundJobs.read, { headers: acme.headers, params: { job_id: job.id } })).status).toBe(
      404,
    )

    const elsewhere = await anExperiment(1)
    const mixed = await create({ evaluator_id, experiment_ids: [...experiment_ids, elsewhere] })
    expect(mixed).toMatchObject({ status: 400, text: expect.stringContaining('different datasets') })
  }, 120_000)

  it('stops at the limit of money, and goes on with another one', async () => {
    const experiment = await anExperiment(5)
    const evaluator_id = await aJudge()
    const body = { evaluator_id, experiment_ids: [experiment], concurrency: 1, limits: { max_cost_usd: 2 * COST } }
    const { id } = (await create(body)).body
    const stopped = await reach(id, 'STOPPED')
    expect(stopped).toMatchObject({ done: 2, reason: expect.stringContaining('US dollars') })
    const more = { limits: { max_cost_usd: 100 } }
    await app.call(evaluatorJobs.resume, { headers: acme.headers, params: { job_id: id }, body: more })
    expect(await reach(id, 'COMPLETED')).toMatchObject({ done: 5 })
    expect(await scores(experiment)).toHaveLength(5)
  }, 120_000)

  it('pauses, refuses a second job, resumes, and stops', async () => {
    const experiment = await anExperiment(8)
    const evaluator_id = await aJudge({ model: 'fake-slow', feedback: [{ key: 'x', type: 'boolean' }] })
    const body = { evaluator_id, experiment_ids: [experiment], concurrency: 1 }
    const { id } = (await create(body)).body
    const act = (verb: 'pause' | 'stop') =>
      app.call(evaluatorJobs[verb], { headers: acme.headers, params: { job_id: id } })
    expect((await act('pause')).body.state).toBe('PAUSED')
    expect(await create(body)).toMatchObject({ status: 409, text: expect.stringContaining(id) })
    await app.call(evaluatorJobs.resume, { headers: acme.headers, params: { job_id: id }, body: {} })
    expect((await act('stop')).body).toMatchObject({ state: 'STOPPED', ended_at: expect.any(String) })
    expect((await act('pause')).status).toBe(409)
  }, 120_000)

  it('names a provider that was deleted', async () => {
    const experiment = await anExperiment(1)
    const evaluator_id = await aJudge({ provider_id: uuid7() })
    const job = await judge({ evaluator_id, experiment_ids: [experiment] })
    expect(job.failures).toMatchObject([{ problem: { code: 'missing_provider' } }])
  }, 60_000)

  it('never shows, stores or logs the key of a provider that repeats it', async () => {
    const experiment = await anExperiment(2)
    const texts: string[] = []
    for (const model of ['fake-echo', 'fake-echo-error']) {
      const body = { evaluator_id: await aJudge({ model }), experiment_ids: [experiment] }
      const job = await judge(body)
      expect(job).toMatchObject({ done: 2, failed: 2 })
      texts.push(JSON.stringify(job), (await estimate(body)).text)
    }
    texts.push((await app.call(evaluatorJobs.list, { headers: acme.headers })).text)
    for (const table of ['playground_jobs', 'playground_calls', 'pgboss.job']) {
      const rows = toRows(await relational.db.execute(sql`select * from ${sql.raw(table)}`), ANY_ROW)
      texts.push(JSON.stringify(rows))
    }
    texts.push(JSON.stringify(await scores(experiment)), logged)
    expect(logged).toContain('/evaluators/jobs')
    for (const text of texts) expect(text).not.toContain(PLAYGROUND_KEY.slice(0, 20))
  }, 60_000)

  it('belongs to its workspace', async () => {
    const other = await aWorkspace(app, 'other')
    const evaluator_id = await aFunction('function evaluate() { return 1 }')
    const experiment = await anExperiment(1)
    const body = { evaluator_id, experiment_ids: [experiment] }
    expect((await create(body, other.headers)).status).toBe(404)
    const { id } = await judge(body)
    for (const verb of ['read', 'pause', 'stop'] as const) {
      const answer = await app.call(evaluatorJobs[verb], { headers: other.headers, params: { job_id: id } })
      expect(answer.status, verb).toBe(404)
    }
    const run = await app.call(runs.read, {
      headers: other.headers,
      params: { run_id: String((await ground.runs(experiment))[0]?.id) },
    })
    expect(run.status).toBe(404)
  }, 60_000)
})
