import { type BulkJobDetail, contract, type Route, type Run, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeStoredCosts } from '../../../ingest/price-again.ts'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { bulkJobCosts } from '../../../storage/relational/tables/lifecycle.ts'
import { columns, count } from '../../../storage/rows.ts'
import { type AWorkspace, aWorkspace } from '../../../testing/a-workspace.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type CallInput, type StartedApp, startApp } from '../../../testing/start-app.ts'
import { openPriceBook } from '../../model-prices/index.ts'
import { estimateCosts } from './estimate-costs.ts'

const { bulkJobs, modelPrices, runs, projects } = contract
const SOON = { timeout: 30_000 }
const USAGE = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }

describe.each(relationalEngines(import.meta.filename))('pricing stored runs again on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const call = <Of extends Route>(route: Of, input: CallInput = {}, as = acme) =>
    app.call(route, { ...input, headers: as.headers })

  interface CallMade {
    readonly model: string
    readonly usage?: object
    /** Days before now. */
    readonly age?: number
  }

  /** A trace for each call of a model: a root, and the call below it. */
  async function record(made: readonly CallMade[], as = acme, name = `priced ${uuid7()}`) {
    const post = made.flatMap(({ model, usage = USAGE, age = 0 }, at) => {
      const start = Date.now() - 60_000 - age * 86_400_000 + at
      const time = timeOfEpochMs(start)
      const stamp = time.replaceAll(/[-:.]/g, '')
      const [root, child] = [uuid7(), uuid7()]
      const common = { trace_id: root, session_name: name, start_time: time, end_time: timeOfEpochMs(start + 10) }
      return [
        { ...common, id: root, name: 'root', run_type: 'chain', dotted_order: stamp + root, inputs: { at } },
        {
          ...{ ...common, id: child, parent_run_id: root, name: 'call', run_type: 'llm' },
          dotted_order: `${stamp}${root}.${stamp}${child}`,
          ...{ inputs: { long: 'LONG' }, outputs: { usage_metadata: usage } },
          extra: { metadata: { ls_model_name: model, ls_provider: 'mine' } },
        },
      ]
    })
    const body = JSON.stringify({ post }).replaceAll('"LONG"', '12345678901234567890')
    expect((await call(runs.batch, { body }, as)).status).toBe(202)
    const listed = await call(projects.list, { query: { name } }, as)
    // A run is priced when it is stored, which a read waits for.
    await read(listed.body[0]!.id, as)
    return { id: listed.body[0]!.id, calls: post.filter((run) => run.name === 'call').map(({ id }) => id) }
  }

  async function price(model: string, prompt: string, completion: string, more: object = {}, as = acme) {
    const body = { name: model, match_pattern: `^${model}$`, prompt_cost: prompt, completion_cost: completion, ...more }
    return (await call(modelPrices.create, { body }, as)).body
  }
  const reprice = (body: object, as = acme) => call(modelPrices.reprice, { body }, as)
  async function finished(id: string): Promise<BulkJobDetail> {
    const read = async () => (await call(bulkJobs.read, { params: { job_id: id } })).body
    await expect.poll(async () => (await read()).ended_at, SOON).not.toBeNull()
    return read()
  }
  async function run(body: object) {
    const answer = await reprice(body)
    expect(answer.status, answer.text).toBe(200)
    return finished(answer.body.job!.id)
  }
  async function undo(id: string) {
    const answer = await call(bulkJobs.undo, { params: { job_id: id } })
    expect(answer.status, answer.text).toBe(200)
    return finished(answer.body.id)
  }
  /** All runs of a project as they are stored, the oldest first. */
  async function read(project: string, as = acme): Promise<Run[]> {
    const body = { session: [project], order: 'asc', limit: 100 }
    return (await call(runs.query, { body }, as)).body.runs
  }
  const costs = async (project: string) =>
    (await read(project)).filter(({ name }) => name === 'call').map(({ total_cost }) => total_cost)

  /** The cost of a project, from every place that adds costs up. */
  async function sums(project: string) {
    const [session, list, stats, models, roots] = await Promise.all([
      call(projects.read, { params: { session_id: project }, query: { include_stats: 'true' } }),
      call(projects.list, { query: { id: project, include_stats: 'true' } }),
      call(contract.runStats.stats, { body: { session: [project] } }),
      call(contract.usage.models, { query: { days: '30', session_id: project } }),
      call(runs.query, { body: { session: [project], is_root: true, select: ['total_cost'] } }),
    ])
    const add = (amounts: readonly (string | number | null | undefined)[]) =>
      amounts.reduce<number>((sum, amount) => sum + Number(amount ?? 0), 0)
    const all = [
      session.body.total_cost,
      list.body[0]?.total_cost,
      (stats.body as { total_cost?: string }).total_cost,
      add(models.body.models.map(({ total_cost }) => total_cost)),
      add(roots.body.runs.map(({ total_cost }) => total_cost)),
    ]
    return all.map((amount) => Number(Number(amount ?? 0).toFixed(9)))
  }

  it('is estimated, then done, in runs, traces and all sums', async () => {
    const project = await record([{ model: 'new-a' }, { model: 'new-a' }, { model: 'new-b' }, { model: 'new-c' }])
    const before = await read(project.id)
    expect(await sums(project.id)).toEqual([0, 0, 0, 0, 0])
    await price('new-a', '1e-6', '1e-5')
    await price('new-b', '2e-6', '0')

    const session = [project.id]
    const { body } = await reprice({ session, dry_run: true })
    expect(body).toMatchObject({
      run_count: 3,
      unpriced_run_count: 3,
      changed_run_count: 3,
      is_sampled: false,
      job: null,
    })
    expect(body).toMatchObject({ cost_before: null, cost_after: '0.006' })
    expect(body.models.map((one) => [one.model, one.run_count, one.cost_after, one.price?.name])).toEqual([
      ['new-a', 2, '0.004', 'new-a'],
      ['new-b', 1, '0.002', 'new-b'],
      ['new-c', 1, null, undefined],
    ])
    expect(await read(project.id)).toEqual(before)

    const job = await run({ session, as_of: body.as_of, expected_total: 3 })
    expect(job).toMatchObject({ action: 'reprice', status: 'done', total: 3, done: 3, failed: 0, can_undo: true })
    expect(job.costs).toEqual({ changed: 3, before: null, after: '0.006' })
    expect(await costs(project.id)).toEqual(['0.002', '0.002', '0.002', null])
    expect(await sums(project.id)).toEqual([0.006, 0.006, 0.006, 0.006, 0.006])
    // Nothing but the costs changed.
    const withoutCosts = (list: readonly Run[]) =>
      list.map((one) =>
        Object.fromEntries(Object.entries(one).filter(([name]) => !name.includes('cost') && !name.includes('price'))),
      )
    expect(withoutCosts(await read(project.id))).toEqual(withoutCosts(before))

    expect(await undo(job.id)).toMatchObject({ action: 'restore_costs', status: 'done', total: 3, done: 3, failed: 0 })
    expect(await read(project.id)).toEqual(before)
    expect(await sums(project.id)).toEqual([0, 0, 0, 0, 0])
    expect((await call(bulkJobs.undo, { params: { job_id: job.id } })).status).toBe(409)
    expect(await finished(job.id)).toMatchObject({ can_undo: false })
  })

  it('restores costs exactly that the price of then gave, after the price was replaced', async () => {
    const { id } = await price('was-cheap', '0.000001', '0.000003', { prompt_cost_details: { cache_read: '1e-7' } })
    const usage = { ...USAGE, input_token_details: { cache_read: 300 } }
    const project = await record([{ model: 'was-cheap', usage }])
    const before = await read(project.id)
    const body = { name: 'was-cheap', match_pattern: '^was-cheap$', prompt_cost: '1', completion_cost: '1' }
    await call(modelPrices.update, { params: { id }, body })
    const job = await run({ price_id: id })
    expect(job.costs).toEqual({ changed: 1, before: '0.00103', after: '1100' })
    expect(await costs(project.id)).toEqual(['1100'])
    await undo(job.id)
    expect(await read(project.id)).toEqual(before)
    expect(before.find(({ name }) => name === 'call')?.prompt_cost_details).toEqual({ cache_read: '0.00003' })
  })

  it('keeps costs that the client gave, and costs of models without a price', async () => {
    const project = await record([
      { model: 'given', usage: { ...USAGE, total_cost: 0.5 } },
      { model: 'given', usage: { ...USAGE, input_cost: 0.25 } },
      { model: 'unheard-of', usage: { ...USAGE, total_cost: 0.125 } },
    ])
    await price('given', '1e-6', '1e-5')
    const { body } = await reprice({ session: [project.id], dry_run: true })
    expect(body).toMatchObject({ run_count: 2, changed_run_count: 1, cost_before: '0.75', cost_after: '0.751' })
    const job = await run({ session: [project.id] })
    expect(job.costs?.changed).toBe(1)
    expect(await costs(project.id)).toEqual(['0.5', '0.251', '0.125'])
    const gone = await price('gone', '1e-6', '0')
    const priced = await record([{ model: 'gone' }])
    await call(modelPrices.delete, { params: { id: gone.id } })
    expect((await run({ session: [priced.id] })).total).toBe(0)
    expect(await costs(priced.id)).toEqual(['0.001'])
  })

  it('leaves siblings that start and end together in the order of their arrival', async () => {
    const name = `siblings ${uuid7()}`
    const start_time = timeOfEpochMs(Date.now() - 60_000)
    const stamp = start_time.replaceAll(/[-:.]/g, '')
    const [root, ...ids] = [uuid7(), uuid7(), uuid7(), uuid7()].toSorted()
    const common = { trace_id: root, session_name: name, start_time, end_time: start_time }
    const calls = ids.toReversed().map((id, at) => ({
      ...{ ...common, id, parent_run_id: root, name: `call ${at}`, run_type: 'llm' },
      ...{ dotted_order: `${stamp}${root}.${stamp}${id}`, outputs: { usage_metadata: USAGE } },
      extra: { metadata: { ls_model_name: at === 0 ? 'first-sibling' : 'other-sibling' } },
    }))
    const post = [{ ...common, id: root, name: 'root', run_type: 'chain', dotted_order: `${stamp}${root}` }, ...calls]
    expect((await call(runs.batch, { body: { post } })).status).toBe(202)
    const names = async () => {
      const { body } = await call(contract.traces.runs, { params: { trace_id: root! } })
      return body.runs.map((one) => [one.name, one.total_cost])
    }
    const order = ['root', 'call 0', 'call 1', 'call 2']
    expect((await names()).map(([one]) => one)).toEqual(order)
    await price('first-sibling', '1e-6', '0')
    const job = await run({ models: ['first-sibling'] })
    expect(await names()).toEqual(order.map((one) => [one, one === 'call 0' ? '0.001' : null]))
    await undo(job.id)
    expect(await names()).toEqual(order.map((one) => [one, null]))
  })

  it('is estimated from a sample of models with many runs, and from all runs of the others', async () => {
    const many = Array.from({ length: 400 }, () => ({ model: 'crowd' }))
    const rare = [{ model: 'rare-a' }, { model: 'rare-b' }, { model: 'rare-b' }]
    const project = await record([...many, ...rare])
    for (const model of ['crowd', 'rare-a', 'rare-b']) await price(model, '1e-6', '0')
    const prices = await openPriceBook(app.deps)
    const deps = {
      ...app.deps,
      prices,
      ingest: { computeCosts: computeStoredCosts, submitCosts: async () => new Map() },
    }
    const estimate = async (start: object, sizes: object) => {
      const { answer } = await estimateCosts(deps, acme.tenantId, { session: [project.id], ...start }, sizes)
      return answer
    }
    const sampled = await estimate({}, { sampledRuns: 100 })
    expect(sampled).toMatchObject({ is_sampled: true, run_count: 403, changed_run_count: 403 })
    const found = new Map(sampled.models.map((one) => [one.model, [one.changed_run_count, one.cost_after]]))
    expect(found.get('rare-a')).toEqual([1, '0.001'])
    expect(found.get('rare-b')).toEqual([2, '0.002'])
    expect(Number(found.get('crowd')?.[1])).toBeCloseTo(0.4)
    // However many models have more runs, one that is named is found.
    const named = await estimate({ models: ['rare-a'] }, { modelsOfPage: 1 })
    expect(named).toMatchObject({ is_sampled: false, run_count: 1, cost_after: '0.001' })
    expect(await estimate({}, { modelsOfPage: 1 })).toMatchObject({ run_count: 403, cost_after: '0.403' })
  }, 120_000)

  it('takes the price that is valid at the start of each run', async () => {
    const project = await record([{ model: 'dated', age: 20 }, { model: 'dated', age: 5 }, { model: 'dated' }])
    await price('dated', '1e-6', '0', { start_time: timeOfEpochMs(Date.now() - 10 * 86_400_000) })
    await price('dated', '5e-6', '0', { start_time: timeOfEpochMs(Date.now() - 86_400_000) })
    await run({ session: [project.id] })
    expect(await costs(project.id)).toEqual([null, '0.001', '0.005'])
  })

  it('is limited to models, projects, a time range, and runs without a cost', async () => {
    await price('left-a', '1e-6', '0')
    const done = await record([{ model: 'left-a' }])
    const one = await record([{ model: 'left-b', age: 3 }, { model: 'left-b' }, { model: 'left-c' }])
    const two = await record([{ model: 'left-b' }])
    for (const model of ['left-a', 'left-b', 'left-c']) await price(model, '7e-6', '0')
    const count = async (body: object) => (await reprice({ ...body, dry_run: true })).body.run_count
    const models = ['left-a', 'left-b', 'left-c']
    expect(await count({ models })).toBe(5)
    expect(await count({ models, only_unpriced: true })).toBe(4)
    expect(await count({ models: ['left-b'] })).toBe(3)
    expect(await count({ models, session: [two.id] })).toBe(1)
    const start_time = timeOfEpochMs(Date.now() - 86_400_000)
    expect(await count({ models: ['left-b'], start_time })).toBe(2)
    expect(await count({ models: ['left-b'], end_time: start_time })).toBe(1)
    expect(await reprice({ models, expected_total: 4 })).toMatchObject({ status: 409 })
    await run({ models: ['left-b'], start_time })
    expect([await costs(done.id), await costs(one.id), await costs(two.id)]).toEqual([
      ['0.001'],
      [null, '0.007', null],
      ['0.007'],
    ])
  })

  it('of no run is done at once, beside any other job', async () => {
    const empty = [await reprice({ models: ['of-no-run'] }), await reprice({ models: ['of-no-run'] })]
    expect(empty.map(({ status, body }) => [status, body.job?.status, body.job?.total])).toEqual([
      [200, 'done', 0],
      [200, 'done', 0],
    ])
  })

  it('loses no write that arrives meanwhile, and brings no deleted run back', async () => {
    const project = await record(Array.from({ length: 1200 }, () => ({ model: 'busy' })))
    await price('busy', '1e-6', '0')
    const { body } = await reprice({ session: [project.id] })
    const deleted = project.calls.slice(0, 50)
    const updated = project.calls.slice(50, 250)
    const patch = (id: string, at: number) =>
      call(runs.update, {
        params: { run_id: id },
        body: { outputs: { at, usage_metadata: { ...USAGE, input_tokens: 2000, total_tokens: 2100 } } },
      })
    const trace_ids = await tracesOf(deleted)
    const [removed] = await Promise.all([
      call(contract.runDeletions.delete, { body: { session_id: project.id, trace_ids } }),
      ...updated.map(patch),
    ])
    expect(removed.body.deleted_runs).toBe(100)
    expect(await finished(body.job!.id)).toMatchObject({ status: 'done', failed: 0 })
    const stored = new Map<string, Run>()
    for (let cursor: string | null | undefined; ; ) {
      const page = (await call(runs.query, { body: { session: [project.id], run_type: 'llm', limit: 100, cursor } }))
        .body
      for (const one of page.runs) stored.set(one.id, one)
      cursor = page.cursors.next
      if (!cursor) break
    }
    expect(stored.size).toBe(1150)
    for (const [at, id] of updated.entries()) {
      expect(stored.get(id)).toMatchObject({ outputs: { at }, prompt_tokens: 2000, total_cost: '0.002' })
    }
    for (const id of project.calls.slice(250)) expect(stored.get(id)?.total_cost).toBe('0.001')
  }, 120_000)

  async function tracesOf(ids: readonly string[]) {
    const { body } = await call(runs.query, { body: { id: ids, select: ['trace_id'], limit: 100 } })
    return body.runs.map(({ trace_id }) => trace_id)
  }

  it('undoes nothing of what was written since', async () => {
    const project = await record([{ model: 'moved' }, { model: 'moved' }])
    await price('moved', '1e-6', '0')
    const job = await run({ session: [project.id] })
    const [first = ''] = project.calls
    const usage_metadata = { input_tokens: 4000, output_tokens: 0, total_tokens: 4000 }
    await call(runs.update, { params: { run_id: first }, body: { outputs: { usage_metadata } } })
    const undone = await undo(job.id)
    expect(undone).toMatchObject({ done: 2, failed: 1, failures: [{ item_id: first }] })
    expect(await costs(project.id)).toEqual(['0.004', null])
  })

  it('is cancelled, keeps what it has done, and is undone', async () => {
    const project = await record(Array.from({ length: 1100 }, () => ({ model: 'stopped' })))
    await price('stopped', '1e-6', '0')
    const { body } = await reprice({ session: [project.id] })
    await call(bulkJobs.cancel, { params: { job_id: body.job!.id } })
    const cancelled = await finished(body.job!.id)
    expect(['cancelled', 'done']).toContain(cancelled.status)
    const count = async () => (await reprice({ session: [project.id], dry_run: true })).body.unpriced_run_count
    // A page that was under way may still be written.
    await expect.poll(async () => (await finished(cancelled.id)).costs!.changed + (await count()), SOON).toBe(1100)
    if ((await finished(cancelled.id)).can_undo) await undo(cancelled.id)
    expect(await count()).toBe(1100)
  }, 120_000)

  it('continues after a restart of the server', async () => {
    const project = await record([{ model: 'restarted' }, { model: 'restarted' }])
    await price('restarted', '1e-6', '0')
    await app.close()
    const front = await startApp({ relational, config: { roles: ['api'] } })
    const taken = await front.call(modelPrices.reprice, { body: { session: [project.id] }, headers: acme.headers })
    const params = { job_id: taken.body.job!.id }
    expect((await front.call(bulkJobs.read, { params, headers: acme.headers })).body.status).toBe('waiting')
    // One job of a workspace at a time.
    const second = await front.call(modelPrices.reprice, { body: {}, headers: acme.headers })
    expect(second).toMatchObject({ status: 409 })
    await front.close()
    app = await startApp({ relational })
    expect(await finished(params.job_id)).toMatchObject({ status: 'done', done: 2 })
    expect(await costs(project.id)).toEqual(['0.001', '0.001'])
  })

  it('is undone again after its undo was stopped', async () => {
    const project = await record([{ model: 'kept' }])
    await price('kept', '1e-6', '0')
    const job = await run({ session: [project.id] })
    await app.close()
    const front = await startApp({ relational, config: { roles: ['api'] } })
    const { headers } = acme
    const params = { job_id: job.id }
    const stopped = await front.call(bulkJobs.undo, { params, headers })
    const { body } = await front.call(bulkJobs.cancel, { params: { job_id: stopped.body.id }, headers })
    expect(body).toMatchObject({ action: 'restore_costs', status: 'cancelled', done: 0 })
    expect((await front.call(bulkJobs.read, { params, headers })).body).toMatchObject({ can_undo: true })
    await front.close()
    app = await startApp({ relational })
    expect(await costs(project.id)).toEqual(['0.001'])
    expect(await undo(job.id)).toMatchObject({ status: 'done', done: 1, failed: 0 })
    expect(await costs(project.id)).toEqual([null])
    expect(await finished(job.id)).toMatchObject({ can_undo: false })
  })

  it('writes what it had stored before a crash, and computes it once', async () => {
    const project = await record([{ model: 'crashed' }, { model: 'crashed' }])
    const [first = ''] = project.calls
    const rows = await app.deps.analytics.query(
      sql`select version from runs final where tenant_id = ${uuid(acme.tenantId)} and id = ${uuid(first)}`,
      columns({ version: count }),
    )
    await price('crashed', '1e-6', '0')
    await app.close()
    const front = await startApp({ relational, config: { roles: ['api'] } })
    const taken = await front.call(modelPrices.reprice, { body: { session: [project.id] }, headers: acme.headers })
    await front.close()
    const job_id = taken.body.job!.id
    const before = { prompt_cost: null, completion_cost: null, total_cost: null, price_model_id: null }
    const none = { prompt_cost_details: {}, completion_cost_details: {} }
    const change = { id: first, version: rows[0]!.version, before: { ...before, ...none } }
    const changes = JSON.stringify([{ ...change, after: { ...before, ...none, total_cost: '0.75' } }])
    await relational.db
      .insert(bulkJobCosts)
      .values({ job_id, position: '', runs: 2, changes, changed: 1, cost_before: '0', cost_after: '0.75' })
    app = await startApp({ relational })
    expect(await finished(job_id)).toMatchObject({ status: 'done', done: 2, costs: { changed: 1, after: '0.75' } })
    expect(await costs(project.id)).toEqual(['0.75', null])
    await undo(job_id)
    expect(await costs(project.id)).toEqual([null, null])
  })

  it('belongs to one workspace, and needs a key that may write', async () => {
    const theirs = await record([{ model: 'shared-name' }], other)
    await price('shared-name', '1e-6', '0', {}, other)
    const mine = await record([{ model: 'shared-name' }])
    await price('shared-name', '3e-6', '0')
    await run({ models: ['shared-name'] })
    expect(await costs(mine.id)).toEqual(['0.003'])
    expect((await read(theirs.id, other)).map(({ total_cost }) => total_cost)).toEqual([null, null])
    const refused = await app.call(modelPrices.reprice, { body: { dry_run: true }, headers: acme.readOnlyHeaders })
    expect(refused.status).toBe(403)
  })

  it.each([{ models: [] }, { models: [''] }, { price_id: 'x' }, { session: ['x'] }, { start_time: 'soon' }])(
    'is rejected for %j',
    async (body) => {
      expect((await reprice(body)).status).toBeGreaterThanOrEqual(400)
    },
  )
})
