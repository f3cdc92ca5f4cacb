import { contract, type PlaygroundJobDetail, uuid7 } from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { modelCalls } from '../../storage/relational/tables/model-jobs.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { datasets, modelPrices, playgroundJobs, projects, savedEvaluators } = contract

describe.each(relationalEngines(import.meta.filename))('a job of the playground on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let fake: FakeProvider
  let ground: APlayground
  beforeAll(async () => {
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    ground = await aPlayground(app, acme, fake)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  const startSlow = async () => {
    const dataset = await ground.dataset(200)
    const variants = [ground.variant({ model: 'fake-slow' })]
    const job = await ground.start(ground.job(dataset, { variants, concurrency: 2 }))
    await expect.poll(async () => (await ground.read(job.id)).done, { timeout: 60_000 }).toBeGreaterThan(1)
    return { dataset, job, experiment: job.variants[0]!.experiment_id }
  }
  const readExperiment = async (session_id: string) =>
    (await app.call(projects.read, { headers: acme.headers, params: { session_id } })).body

  it('ends with the reason when its dataset is deleted', async () => {
    const { dataset, job } = await startSlow()
    const deleted = await app.call(datasets.delete, { headers: acme.headers, params: { dataset_id: dataset } })
    expect(deleted.status, deleted.text).toBe(200)
    const ended = await ground.reach(job.id, 'ERROR')
    expect(ended.reason).toContain('not found')
    expect(ended.done).toBeLessThan(200)
  }, 60_000)

  it('stops before its calls lose their connections, so that none of them fails', async () => {
    const { dataDir } = app.deps.config // with the secret key
    const second = await startApp({ relational, analytics: app.deps.analytics, config: { dataDir } })
    const there = await aPlayground(second, acme, fake)
    const variants = [there.variant({ model: 'fake-slow' })]
    const { id } = await there.start(there.job(await there.dataset(60), { variants, concurrency: 10 }))
    await expect.poll(async () => (await there.read(id)).done, { timeout: 60_000 }).toBeGreaterThan(5)
    await second.close()
    const kept = await relational.db.select().from(modelCalls).where(eq(modelCalls.job_id, id))
    expect(kept.length).toBeGreaterThan(5)
    expect(kept.flatMap(({ problem }) => problem ?? [])).toEqual([])
    expect((await app.call(playgroundJobs.stop, { headers: acme.headers, params: { job_id: id } })).status).toBe(200)
  }, 60_000)

  it('makes no more calls when its experiment is deleted', async () => {
    const { job, experiment } = await startSlow()
    const deleted = await app.call(projects.delete, { headers: acme.headers, params: { session_id: experiment } })
    expect(deleted.status, deleted.text).toBeLessThan(300)
    const ended = await ground.reach(job.id, 'ERROR')
    expect(ended.reason).toBe('Variant "a": its experiment was deleted.')
    expect(ended.done).toBeLessThan(200)
  }, 60_000)

  it('ends its experiments when it reaches a limit, and keeps their end after that', async () => {
    const dataset = await ground.dataset(200)
    const variants = [ground.variant({ model: 'fake-slow' })]
    const body = ground.job(dataset, { variants, concurrency: 1, limits: { max_seconds: 1 } })
    const { variants: started } = await ground.reach((await ground.start(body)).id, 'STOPPED')
    const experiment = started[0]!.experiment_id
    await expect.poll(async () => (await readExperiment(experiment)).end_time, { timeout: 20_000 }).not.toBeNull()
  }, 60_000)

  it('keeps what evaluators say when it contains characters that cannot be stored', async () => {
    const definition = {
      kind: 'llm_judge',
      provider_id: ground.providerId,
      model: 'fake-script',
      messages: [{ role: 'user', content: '<<<{{{reply}}}>>>' }],
      mapping: { reply: 'inputs.question' },
      feedback: [{ key: 'judged', type: 'boolean' }],
    }
    const body = { name: uuid7(), definition }
    const evaluator = (await app.call(savedEvaluators.create, { headers: acme.headers, body })).body.id
    const dataset = await ground.dataset(2, () => ({ question: 'no\0judgment' }))
    const job = ground.job(dataset, { evaluators: [{ evaluator_id: evaluator }] })
    const { failures } = (await ground.reach((await ground.start(job)).id, 'COMPLETED')) as PlaygroundJobDetail
    expect(failures).toHaveLength(2)
    expect(failures[0]?.evaluator_error).toContain('no\ufffdjudgment')
  }, 60_000)

  const aJudge = async (model: string) => {
    const definition = {
      kind: 'llm_judge',
      provider_id: ground.providerId,
      model,
      messages: [{ role: 'user', content: '{{inputs}} <<<{"judged":{"value":true}}>>>' }],
      feedback: [{ key: 'judged', type: 'boolean' }],
      reasoning: false,
    }
    const made = await app.call(savedEvaluators.create, { headers: acme.headers, body: { name: uuid7(), definition } })
    expect(made.status, made.text).toBe(201)
    return { evaluator_id: made.body.id }
  }

  it('calls a judge again when its provider fails for a moment', async () => {
    const evaluators = [await aJudge('fake-script-flaky')]
    const { id } = await ground.start(ground.job(await ground.dataset(2), { evaluators }))
    const { failures, variants } = (await ground.reach(id, 'COMPLETED')) as PlaygroundJobDetail
    expect(failures).toEqual([])
    const runs = await ground.runs(variants[0]!.experiment_id)
    expect(runs.every(({ feedback_stats }) => JSON.stringify(feedback_stats).includes('"judged"'))).toBe(true)
    expect(fake.heard.filter(({ body }) => body.model === 'fake-script-flaky')).toHaveLength(4)
  }, 60_000)

  it('counts what its judges cost, in its limit and in its estimate', async () => {
    const price = { prompt_cost: '0.001', completion_cost: '0.01' }
    const body = { name: 'judge', match_pattern: '^fake-script$', provider: 'fake', ...price }
    await app.call(modelPrices.create, { headers: acme.headers, body })
    const evaluators = [await aJudge('fake-script')]
    const limits = { max_cost_usd: 0.3 }
    const job = ground.job(await ground.dataset(20), { evaluators, limits, concurrency: 5 })
    const estimate = await app.call(playgroundJobs.estimate, { headers: acme.headers, body: job })
    expect(estimate.body).toMatchObject({ calls: 20, cost: null, judges: [{ calls: 20 }] })
    expect(estimate.body.judges?.[0]?.cost).toBeGreaterThan(1)
    const ended = await ground.reach((await ground.start(job)).id, 'STOPPED')
    expect(ended).toMatchObject({ done: 3, cost: null, reason: expect.stringContaining('0.3 US dollars') })
    expect(ended.judge_cost).toBeCloseTo(0.36)
  }, 60_000)

  it('refuses calls whose messages are too large, with their size, before it starts and for each row', async () => {
    const messages = Array.from({ length: 9 }, () => ({ role: 'placeholder', variable: 'history', optional: false }))
    const history = [{ role: 'user', content: 'x'.repeat(4 * 1024 * 1024) }]
    const dataset = await ground.dataset(1, () => ({ history }))
    const job = ground.job(dataset, { variants: [ground.variant({ messages })] })
    const message = expect.stringMatching(/^The messages have 377\d{5} bytes .* at most 33554432\./)
    const estimate = await app.call(playgroundJobs.estimate, { headers: acme.headers, body: job })
    expect(estimate.body.problems).toMatchObject([{ variant: 0, message }])
    const before = fake.heard.length
    const { failures } = (await ground.reach((await ground.start(job)).id, 'COMPLETED')) as PlaygroundJobDetail
    expect(failures).toMatchObject([{ problem: { code: 'too_large', message } }])
    expect(fake.heard).toHaveLength(before)
  }, 60_000)

  it('records scores of evaluators as those of a model, which agreement with people leaves out', async () => {
    const definition = { kind: 'javascript', source: 'const evaluate = () => 1', keys: ['correct'] }
    const body = { name: uuid7(), definition }
    const evaluator = (await app.call(savedEvaluators.create, { headers: acme.headers, body })).body.id
    const job = ground.job(await ground.dataset(3), { evaluators: [{ evaluator_id: evaluator }] })
    const { variants } = await ground.reach((await ground.start(job)).id, 'COMPLETED')
    const experiment_id = variants[0]!.experiment_id
    const runs = await ground.runs(experiment_id)
    expect(runs.every(({ feedback_stats }) => JSON.stringify(feedback_stats).includes('"correct"'))).toBe(true)
    const asked = { experiment_id, feedback_key: 'correct' }
    const params = { evaluator_id: evaluator }
    const found = await app.call(savedEvaluators.agreement, { headers: acme.headers, params, body: asked })
    expect(found.body).toMatchObject({ scored_rows: 0, compared_rows: 0 })
  }, 60_000)

  // The last one, because the other calls of the provider wait after it.
  it('reaches its limit of time also while all its calls wait for their provider', async () => {
    const dataset = await ground.dataset(2)
    const variants = [ground.variant({ model: 'fake-rate-limited' })]
    const body = ground.job(dataset, { variants, concurrency: 1, limits: { max_seconds: 1 } })
    const job = await ground.reach((await ground.start(body)).id, 'STOPPED')
    expect(job).toMatchObject({ done: 0, reason: 'The limit of 1 seconds is reached.' })
    // The provider asked for 7 seconds; the call was not made again after the limit.
    expect(fake.heard.filter(({ body: sent }) => sent.model === 'fake-rate-limited')).toHaveLength(1)
  }, 60_000)
})
