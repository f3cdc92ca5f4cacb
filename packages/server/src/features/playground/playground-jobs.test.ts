import { PassThrough } from 'node:stream'
import { contract, type PlaygroundJobDetail, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { ANY_ROW } from '../../storage/rows.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { withDeadlyRows } from '../../testing/deadly-work.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { playgroundJobs, projects, modelPrices, modelProviders, savedEvaluators } = contract
/** Cost of a call of the fake provider with the price below. */
const COST = 0.12

describe.each(concurrentRelationalEngines)('jobs of the playground on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
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
    other = await aWorkspace(app, 'other')
    ground = await aPlayground(app, acme, fake)
    const price = {
      name: 'fake',
      match_pattern: '^fake',
      provider: 'fake',
      prompt_cost: '0.001',
      completion_cost: '0.01',
    }
    await app.call(modelPrices.create, { headers: acme.headers, body: price })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  const act = (verb: 'pause' | 'resume' | 'stop', job_id: string, headers = acme.headers) =>
    app.call(playgroundJobs[verb], { headers, params: { job_id }, ...(verb === 'resume' && { body: {} }) })
  const detail = async (id: string) => (await ground.read(id)) as PlaygroundJobDetail
  const slow = () => ground.variant({ model: 'fake-slow' })

  it('call each variant for each row once, and record an experiment for each', async () => {
    const dataset = await ground.dataset(50)
    const prompt = { owner: '-', repo: 'tone', commit: 'abcdef12' }
    const variants = [ground.variant({ prompt }), ground.variant({ name: 'b', parameters: { temperature: 0.5 } })]
    const started = await ground.start(ground.job(dataset, { name: 'compare', variants, concurrency: 10 }))
    expect(started).toMatchObject({ state: 'RUNNING', total: 100, reason: null, ended_at: null })
    const job = await ground.reach(started.id, 'COMPLETED')
    expect(job).toMatchObject({ total: 100, done: 100, failed: 0 })
    expect(job.cost).toBeCloseTo(100 * COST)
    expect(job.variants).toMatchObject([
      { name: 'a', model: 'fake-model', total: 50, done: 50, failed: 0, experiment_name: 'compare: a' },
      { name: 'b', total: 50, done: 50, failed: 0, experiment_name: 'compare: b' },
    ])
    for (const { experiment_id } of job.variants) {
      const runs = await ground.runs(experiment_id)
      expect(runs).toHaveLength(50)
      expect(new Set(runs.map((run) => run.reference_example_id)).size).toBe(50)
      expect(runs.every(({ run_type, status }) => run_type === 'llm' && status === 'success')).toBe(true)
    }
    const read = (session_id: string) => app.call(projects.read, { headers: acme.headers, params: { session_id } })
    await expect
      .poll(async () => (await read(job.variants[0]!.experiment_id)).body.end_time, { timeout: 20_000 })
      .not.toBeNull()
    expect((await read(job.variants[0]!.experiment_id)).body).toMatchObject({
      reference_dataset_id: dataset,
      extra: { metadata: { model: 'fake-model', prompt: '-/tone:abcdef12', dataset_version: job.dataset_version } },
    })
    const listed = await app.call(playgroundJobs.list, { headers: acme.headers, query: { dataset_id: dataset } })
    expect(listed.body).toMatchObject({ total: 1, jobs: [{ id: job.id, done: 100 }] })
  }, 120_000)

  it('read variables at their paths, repeat calls, and go on when templates fail for rows', async () => {
    const dataset = await ground.dataset(6, (n) => (n < 3 ? { other: 1 } : { deep: [{ question: `deep ${n}` }] }))
    const messages = [{ role: 'user', content: 'Say {question} in {tone}' }]
    const body = ground.job(dataset, {
      variants: [ground.variant({ messages })],
      mapping: { question: 'inputs.deep[0].question' },
      variables: { tone: 'short' },
      repeats: 2,
    })
    const { id } = await ground.start(body)
    expect(await ground.reach(id, 'COMPLETED')).toMatchObject({ total: 12, done: 12, failed: 6 })
    const job = await detail(id)
    expect(job.failures).toHaveLength(6)
    expect(job.failures[0]).toMatchObject({ variant: 0, problem: { code: 'missing_variable' }, evaluator_error: null })
    expect(job.request.mapping).toEqual({ question: 'inputs.deep[0].question' })
    const runs = await ground.runs(job.variants[0]!.experiment_id)
    expect(runs).toHaveLength(12)
    const sent = runs.flatMap((run) => (run.status === 'error' ? [] : JSON.stringify(run.inputs)))
    expect(sent.filter((text) => text.includes('Say deep 3 in short'))).toHaveLength(2)
  }, 60_000)

  it('are judged by evaluators of the server', async () => {
    const source = `function evaluate({ inputs, outputs, reference_outputs }) {
      if (reference_outputs.answer === 1) throw new Error('no judgment')
      return { key: 'asked', score: inputs.question.length, comment: outputs.choices[0].message.content }
    }`
    const body = { name: `length ${uuid7()}`, definition: { kind: 'javascript', source, keys: ['asked'] } }
    const made = await app.call(savedEvaluators.create, { headers: acme.headers, body })
    expect(made.status, made.text).toBe(201)
    const evaluators = [{ evaluator_id: made.body.id }]
    const started = await ground.start(ground.job(await ground.dataset(3), { evaluators }))
    expect(started.evaluators).toEqual([{ evaluator_id: made.body.id, version: 1 }])
    const { variants, failures } = (await ground.reach(started.id, 'COMPLETED')) as PlaygroundJobDetail
    expect(failures).toMatchObject([{ problem: null, evaluator_error: expect.stringContaining('no judgment') }])
    const runs = await ground.runs(variants[0]!.experiment_id)
    const stats = runs.map((run) => (run.feedback_stats as Record<string, { avg: number }> | null)?.asked?.avg)
    expect(stats.filter((average) => average === 'question 0'.length)).toHaveLength(2)
    const unknown = ground.job(await ground.dataset(1), { evaluators: [{ evaluator_id: uuid7() }] })
    expect((await app.call(playgroundJobs.create, { headers: acme.headers, body: unknown })).status).toBe(404)
  }, 60_000)

  it('pause, resume and stop', async () => {
    const dataset = await ground.dataset(30)
    const { id } = await ground.start(ground.job(dataset, { variants: [slow()], concurrency: 2 }))
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBeGreaterThan(1)
    expect((await act('pause', id)).body.state).toBe('PAUSED')
    expect((await act('pause', id)).status).toBe(409)
    await expect
      .poll(
        async () =>
          toRows(await relational.db.execute(sql`select lease_holder from playground_jobs where id = ${id}`), ANY_ROW),
        { timeout: 30_000 },
      )
      .toEqual([{ lease_holder: null }])
    const paused = await ground.read(id)
    expect(paused.done).toBeLessThan(30)
    expect((await act('resume', id)).body.state).toBe('RUNNING')
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBeGreaterThan(paused.done)
    const stopped = (await act('stop', id)).body
    expect(stopped).toMatchObject({ state: 'STOPPED', reason: null })
    expect(stopped.ended_at).not.toBeNull()
    expect((await act('resume', id)).body).toMatchObject({ state: 'RUNNING', ended_at: null })
    const done = await ground.reach(id, 'COMPLETED')
    expect(done).toMatchObject({ done: 30, failed: 0 })
    const runs = await ground.runs(done.variants[0]!.experiment_id)
    expect(new Set(runs.map((run) => run.reference_example_id)).size).toBe(30)
    expect(runs.filter(({ status }) => status === 'success')).toHaveLength(30)
    expect((await act('resume', id)).status).toBe(409)
  }, 120_000)

  it('stop before the call that would exceed the limit of money, and continue with another limit', async () => {
    const dataset = await ground.dataset(40)
    const limits = { max_cost_usd: 10 * COST - 0.01 }
    const { id } = await ground.start(ground.job(dataset, { concurrency: 20, limits }))
    const job = await ground.reach(id, 'STOPPED')
    expect(job.reason).toContain('US dollars')
    expect(job.done).toBe(10)
    const params = { job_id: id }
    const body = { limits: { max_cost_usd: 1000 } }
    expect((await app.call(playgroundJobs.resume, { headers: acme.headers, params, body })).status).toBe(200)
    expect(await ground.reach(id, 'COMPLETED')).toMatchObject({ done: 40, limits: { max_cost_usd: 1000 } })
  }, 60_000)

  it('stop at the limit of time', async () => {
    const dataset = await ground.dataset(200)
    const body = ground.job(dataset, { variants: [slow()], concurrency: 1, limits: { max_seconds: 1 } })
    const job = await ground.reach((await ground.start(body)).id, 'STOPPED')
    expect(job.reason).toContain('1 seconds')
    expect(job.done).toBeLessThan(200)
  }, 60_000)

  it('end after five equal failures in a row, with the reason', async () => {
    const dataset = await ground.dataset(30)
    const variants = [ground.variant({ model: 'fake-forbidden' })]
    const job = await ground.reach((await ground.start(ground.job(dataset, { variants, concurrency: 1 }))).id, 'ERROR')
    expect(job).toMatchObject({ done: 5, failed: 5 })
    expect(job.reason).toMatch(/Variant "a" failed 5 times in a row: /)
    expect((await detail(job.id)).failures[0]).toMatchObject({ problem: { code: 'forbidden', status: 403 } })
  }, 60_000)

  it('end when their provider is removed', async () => {
    const body = { name: `gone ${uuid7()}`, kind: 'openai-chat', base_url: fake.url, key: PLAYGROUND_KEY }
    const provider = (await app.call(modelProviders.create, { headers: acme.headers, body })).body.id
    const variants = [ground.variant({ provider_id: provider, model: 'fake-slow' })]
    const { id } = await ground.start(ground.job(await ground.dataset(100), { variants, concurrency: 1 }))
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBeGreaterThan(0)
    await app.call(modelProviders.delete, { headers: acme.headers, params: { provider_id: provider } })
    expect((await ground.reach(id, 'ERROR')).reason).toContain('not found')
  }, 60_000)

  it('continue in another process, with each row once', async () => {
    const dataset = await ground.dataset(30)
    // The process that starts a job works on it; the secret key is in the data directory.
    const { dataDir } = app.deps.config
    const first = await startApp({ relational, analytics: app.deps.analytics, config: { dataDir } })
    const there = await aPlayground(first, acme, fake)
    const { id } = await there.start(there.job(dataset, { variants: [slow()], concurrency: 3 }))
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBeGreaterThan(2)
    await first.close()
    expect((await ground.read(id)).state).toBe('RUNNING')
    const second = await startApp({ relational, analytics: app.deps.analytics, config: { dataDir } })
    const job = await ground.reach(id, 'COMPLETED').finally(() => second.close())
    expect(job).toMatchObject({ done: 30, failed: 0 })
    const runs = await ground.runs(job.variants[0]!.experiment_id)
    expect(runs).toHaveLength(30)
    expect(runs.every(({ status }) => status === 'success')).toBe(true)
  }, 240_000)

  it('record answers that were kept before a crash, without another call', async () => {
    const dataset = await ground.dataset(3)
    const { id, variants } = await ground.start(ground.job(dataset))
    await ground.reach(id, 'COMPLETED')
    const [run] = await ground.runs(variants[0]!.experiment_id)
    const answer = {
      run: {
        id: run!.id,
        trace_id: run!.id,
        dotted_order: run!.dotted_order,
        name: 'kept',
        run_type: 'llm',
        session_id: variants[0]!.experiment_id,
        start_time: run!.start_time,
        inputs: {},
        outputs: {},
      },
    }
    await relational.db.execute(
      sql`update playground_calls set answer = ${JSON.stringify(answer)} where run_id = ${String(run!.id)}`,
    )
    await relational.db.execute(sql`update playground_jobs set state = 'STOPPED' where id = ${id}`)
    const before = fake.heard.length
    expect((await ground.read(id)).done).toBe(2)
    await act('resume', id)
    expect(await ground.reach(id, 'COMPLETED')).toMatchObject({ done: 3 })
    expect(fake.heard.length).toBe(before)
    expect(await ground.runs(variants[0]!.experiment_id)).toHaveLength(3)
  }, 60_000)

  it('record what a killed process left of them, also after a stop', async () => {
    const { id, variants } = await ground.start(ground.job(await ground.dataset(2)))
    await ground.reach(id, 'COMPLETED')
    const [run] = await ground.runs(variants[0]!.experiment_id)
    const { id: run_id, dotted_order, start_time, name, run_type } = run!
    const place = { session_id: variants[0]!.experiment_id, trace_id: run_id, dotted_order, start_time }
    const answer = JSON.stringify({ run: { id: run_id, name, run_type, ...place, inputs: {}, outputs: {} } })
    await relational.db.execute(sql`update playground_calls set answer = ${answer} where run_id = ${String(run_id)}`)
    await relational.db.execute(sql`update playground_jobs set state = 'PAUSED', ended_at = null where id = ${id}`)
    const before = fake.heard.length
    expect((await act('stop', id)).body).toMatchObject({ state: 'STOPPED', done: 1 })
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBe(2)
    expect(await ground.read(id)).toMatchObject({ state: 'STOPPED' })
    expect(fake.heard.length).toBe(before)
  }, 60_000)

  it('are estimated from a sample, with variables that have no value', async () => {
    const dataset = await ground.dataset(12, (n) => (n % 3 === 0 ? {} : { question: 'x'.repeat(400) }))
    const body = ground.job(dataset, {
      repeats: 2,
      variants: [ground.variant(), ground.variant({ name: 'b', model: 'unpriced' })],
    })
    const answer = await app.call(playgroundJobs.estimate, { headers: acme.headers, body })
    expect(answer.body).toMatchObject({ rows: 12, calls: 48, cost: null, sample_rows: 5 })
    expect(answer.body.variants[0]).toMatchObject({ name: 'a', calls: 24 })
    expect(answer.body.variants[0]!.cost).toBeGreaterThan(0)
    expect(answer.body.missing).toMatchObject([
      { variable: 'question', path: 'inputs["question"]', rows: 4, reason: 'no key "question" in inputs' },
    ])
    expect(answer.body.missing[0]!.example_ids).toHaveLength(4)
    expect(fake.heard.filter(({ body: sent }) => sent.model === 'unpriced')).toEqual([])
  })

  it.each<[string, object, number]>([
    ['another dataset', { dataset_id: uuid7() }, 404],
    ['an unknown version', { as_of: 'no-such-tag' }, 404],
    ['a split without examples', { splits: ['none'] }, 400],
    ['a path that is none', { mapping: { question: 'run.inputs' } }, 400],
    ['too many calls at once', { concurrency: 51 }, 400],
    ['a negative limit', { limits: { max_cost_usd: -1 } }, 400],
    [
      'an unknown provider',
      { variants: [{ name: 'a', provider_id: uuid7(), model: 'm', messages: [{ role: 'user', content: 'x' }] }] },
      404,
    ],
  ])('are refused with %s', async (_, more, status) => {
    const answer = await app.call(playgroundJobs.create, {
      headers: acme.headers,
      body: ground.job(await ground.dataset(1), more),
    })
    expect(answer.status, answer.text).toBe(status)
  })

  it('belong to one workspace, and need the right to write', async () => {
    const dataset = await ground.dataset(1)
    const { id } = await ground.start(ground.job(dataset))
    const params = { job_id: id }
    expect((await app.call(playgroundJobs.read, { headers: other.headers, params })).status).toBe(404)
    for (const verb of ['pause', 'resume', 'stop'] as const)
      expect((await act(verb, id, other.headers)).status).toBe(404)
    expect((await app.call(playgroundJobs.list, { headers: other.headers })).body.total).toBe(0)
    expect((await act('stop', id, acme.readOnlyHeaders)).status).toBe(403)
    expect((await app.call(playgroundJobs.create, { headers: other.headers, body: ground.job(dataset) })).status).toBe(
      404,
    )
    await ground.reach(id, 'COMPLETED')
  })

  it('are paused with the reason when the process died twice while they ran, and can be resumed', async () => {
    const dataset = await ground.dataset(2)
    const deadly = { table: 'playground_jobs', queue: 'playground-job' }
    const { id } = await withDeadlyRows(relational, deadly, () => ground.start(ground.job(dataset)))
    const reason = 'The server stopped unexpectedly twice while this job was running. Resume it to try again.'
    expect(await ground.reach(id, 'PAUSED')).toMatchObject({ reason, done: 0, ended_at: null })
    expect((await act('resume', id)).body).toMatchObject({ state: 'RUNNING', reason: null })
    expect(await ground.reach(id, 'COMPLETED')).toMatchObject({ done: 2, reason: null })
  }, 60_000)

  it('never store or log the key of a provider that repeats it', async () => {
    const variants = ['fake-echo', 'fake-echo-error'].map((model) => ground.variant({ name: model, model }))
    const { id } = await ground.start(ground.job(await ground.dataset(2), { variants }))
    const job = await ground.reach(id, 'COMPLETED')
    expect(job).toMatchObject({ done: 4, failed: 2 })
    const tables = ['playground_jobs', 'playground_calls', 'pgboss.job']
    const rows = await Promise.all(tables.map((table) => relational.db.execute(sql`select * from ${sql.raw(table)}`)))
    const recorded = await Promise.all(job.variants.map(({ experiment_id }) => ground.runs(experiment_id)))
    const all = [
      JSON.stringify(rows.map((found) => toRows(found, ANY_ROW))),
      JSON.stringify([recorded, await detail(id)]),
      logged,
    ]
    for (const text of all) expect(text).not.toContain(PLAYGROUND_KEY.slice(0, 20))
  }, 60_000)
})
