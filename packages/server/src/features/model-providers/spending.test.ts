import { contract, uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRow } from '../../storage/relational/migrate.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { openPostgres } from '../../storage/relational/postgres.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { concurrentRelationalEngines, relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { readSpending, reserveSpending, setSpendingLimits } from './spending.ts'

const { spending, modelPrices, savedEvaluators } = contract
/** Of a call of the fake provider: 20 tokens in, 10 out. */
const COST = 0.12

describe.each(relationalEngines(import.meta.filename))('monthly limits of spending on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let fake: FakeProvider
  let nowMs = Date.UTC(2026, 10, 27, 12)
  beforeAll(async () => {
    relational = await open()
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    app = await startApp({ relational, clock: () => nowMs })
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  interface Ground {
    readonly as: AWorkspace
    readonly ground: APlayground
    read(): Promise<ReturnType<(typeof spending.read)['answer']['parse']>>
    limit(body: object): Promise<void>
    /** A response with its status and text. */
    run(variants: object[], more?: object): Promise<{ status: number; text: string }>
  }

  async function aGround(): Promise<Ground> {
    const as = await aWorkspace(app, `w ${uuid7()}`)
    const { headers } = as
    const ground = await aPlayground(app, as, fake)
    const price = { match_pattern: '^fake-', provider: 'fake', prompt_cost: '0.001', completion_cost: '0.01' }
    await app.call(modelPrices.create, { headers, body: { name: 'fake', ...price } })
    return {
      as,
      ground,
      async read() {
        const answer = await app.call(spending.read, { headers })
        expect(answer.status, answer.text).toBe(200)
        return answer.body
      },
      async limit(body) {
        const answer = await app.call(spending.setLimits, { headers, body })
        expect(answer.status, answer.text).toBe(200)
      },
      async run(variants, more = {}) {
        const answer = await app.fetch('/api/v1/playground/runs', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ variants, variables: { question: 'q' }, ...more }),
        })
        return { status: answer.status, text: await answer.text() }
      },
    }
  }
  const short = { parameters: { max_tokens: 10 } }

  it('counts what calls cost by provider, in exact numbers, and forgets it with the month', async () => {
    const one = await aGround()
    await one.run([one.ground.variant(short)], { repeats: 3 })
    const { month, resets_at, workspace, providers, unpriced_call_usd } = await one.read()
    expect({ month, resets_at, unpriced_call_usd }).toEqual({
      month: '2026-11',
      resets_at: expect.stringMatching(/^2026-12-01T00:00:00/),
      unpriced_call_usd: 0.01,
    })
    const sums = { limit_usd: null, spent_usd: 0.36, calls: 3, unknown_calls: 0 }
    expect(workspace).toEqual(sums)
    expect(providers).toEqual([{ provider_id: one.ground.providerId, name: expect.any(String), ...sums }])
    nowMs = Date.UTC(2026, 11, 1)
    expect((await one.read()).workspace.spent_usd).toBe(0)
    nowMs = Date.UTC(2026, 10, 27, 12)
  })

  it.each(['workspace', 'provider'] as const)('refuses calls above the limit of the %s with 429', async (of) => {
    const one = await aGround()
    const { providerId } = one.ground
    await one.limit(of === 'workspace' ? { workspace_usd: 0.3 } : { providers_usd: { [providerId]: 0.3 } })
    const statuses: number[] = []
    let text = ''
    for (let call = 0; call < 4; call++) {
      const answer = await one.run([one.ground.variant(short)])
      statuses.push(answer.status)
      text = answer.text
    }
    expect(statuses).toEqual([200, 200, 429, 429])
    const whose = of === 'workspace' ? 'the workspace' : 'the provider "Fake '
    // By which clients know that a retry is of no use.
    expect(JSON.parse(text).error.code).toBe('insufficient_quota')
    expect(JSON.parse(text).detail).toContain(`The monthly limit of ${whose}`)
    expect(text).toMatch(/\$0\.24 of \$0\.30 are spent.*resets on 2026-12-01 at 00:00 UTC/)
    expect((await one.read()).workspace).toMatchObject({ spent_usd: 0.24, calls: 2 })
    await one.limit(of === 'workspace' ? { workspace_usd: null } : { providers_usd: { [providerId]: null } })
    expect((await one.run([one.ground.variant(short)])).status).toBe(200)
  })

  it('reserves before a call, so that calls at once do not exceed the limit', async () => {
    const one = await aGround()
    await one.limit({ workspace_usd: 0.5 })
    const { text } = await one.run([one.ground.variant(short)], { repeats: 10 })
    const { spent_usd } = (await one.read()).workspace
    expect(spent_usd).toBeLessThanOrEqual(0.5)
    expect(text.match(/"type":"finished"/g)?.length).toBe(Math.round(spent_usd / COST))
    expect(text).toContain('spending_limit')
  })

  it('counts calls without a price with an assumed cost, and those that the provider refused with nothing', async () => {
    const one = await aGround()
    await one.limit({ workspace_usd: 1, unpriced_call_usd: 0.6 })
    await one.run([one.ground.variant({ model: 'fake-forbidden', ...short })])
    expect((await one.read()).workspace).toMatchObject({ spent_usd: 0, calls: 1, unknown_calls: 0 })
    const { status } = await one.run([one.ground.variant({ model: 'fake-cut-off', ...short })])
    expect(status).toBe(200)
    expect((await one.read()).workspace).toMatchObject({ calls: 2, unknown_calls: 1 })
  })

  it('stops previews, agreement and jobs of judges and variants', async () => {
    const one = await aGround()
    const { headers } = one.as
    const { ground } = one
    const definition = {
      kind: 'llm_judge',
      provider_id: ground.providerId,
      model: 'fake-script',
      template_format: 'mustache',
      messages: [{ role: 'user', content: '<<<{"acc":{"value":true}}>>> {{inputs}}' }],
      mapping: {},
      feedback: [{ key: 'acc', type: 'boolean' }],
      reasoning: false,
    }
    await one.limit({ workspace_usd: 0 })
    const rows = [{ inputs: { a: 1 }, outputs: { b: 2 } }]
    const body = { definition, rows, call_model: true }
    const preview = await app.call(savedEvaluators.preview, { headers, body })
    expect([preview.status, preview.text]).toEqual([429, expect.stringContaining('monthly limit of the workspace')])
    const dataset = await ground.dataset(3)
    const job = await ground.start(ground.job(dataset))
    const paused = await ground.reach(job.id, 'PAUSED')
    expect(paused.reason).toMatch(/^The monthly limit of the workspace.*Resume the job then\.$/)
    await one.limit({ workspace_usd: 100 })
    expect((await app.call(savedEvaluators.preview, { headers, body })).status).toBe(200)
    await app.call(contract.playgroundJobs.resume, { headers, params: { job_id: job.id }, body: {} })
    expect((await ground.reach(job.id, 'COMPLETED')).state).toBe('COMPLETED')
  })

  it('pauses a job whose judges it does not allow, and keeps its responses until they are judged', async () => {
    const one = await aGround()
    const { headers } = one.as
    const { ground } = one
    const { providerId: ofJudges } = await aPlayground(app, one.as, fake)
    const definition = {
      kind: 'llm_judge',
      provider_id: ofJudges,
      model: 'fake-script',
      messages: [{ role: 'user', content: '<<<{"acc":{"value":true}}>>> {{inputs}}' }],
      feedback: [{ key: 'acc', type: 'boolean' }],
      reasoning: false,
    }
    const made = await app.call(savedEvaluators.create, { headers, body: { name: uuid7(), definition } })
    expect(made.status, made.text).toBe(201)
    await one.limit({ providers_usd: { [ofJudges]: 0 } })
    const before = fake.heard.length
    const evaluators = [{ evaluator_id: made.body.id }]
    const { id, variants } = await ground.start(ground.job(await ground.dataset(3), { evaluators }))
    const paused = await ground.reach(id, 'PAUSED')
    expect(paused.reason).toMatch(/^The monthly limit of the provider.*Resume the job then\.$/)
    await one.limit({ providers_usd: { [ofJudges]: null } })
    await app.call(contract.playgroundJobs.resume, { headers, params: { job_id: id }, body: {} })
    expect(await ground.reach(id, 'COMPLETED')).toMatchObject({ done: 3, failed: 0, failures: [] })
    const runs = await ground.runs(variants[0]!.experiment_id)
    expect(runs.map(({ feedback_stats }) => JSON.stringify(feedback_stats).includes('"acc"'))).toEqual([
      true,
      true,
      true,
    ])
    const called = fake.heard.slice(before).map(({ body: { model } }) => model)
    expect(called.toSorted()).toEqual([...Array(3).fill('fake-model'), ...Array(3).fill('fake-script')])
  }, 60_000)

  it('ends the recording of a stopped job whose judges it does not allow', async () => {
    const one = await aGround()
    const { headers } = one.as
    const { ground } = one
    const { providerId: ofJudges } = await aPlayground(app, one.as, fake)
    const definition = {
      kind: 'llm_judge',
      provider_id: ofJudges,
      model: 'fake-script',
      messages: [{ role: 'user', content: '{{inputs}}' }],
      feedback: [{ key: 'acc', type: 'boolean' }],
    }
    const made = await app.call(savedEvaluators.create, { headers, body: { name: uuid7(), definition } })
    await one.limit({ providers_usd: { [ofJudges]: 0 } })
    const evaluators = [{ evaluator_id: made.body.id }]
    const { id } = await ground.start(ground.job(await ground.dataset(1), { evaluators }))
    await ground.reach(id, 'PAUSED')
    await app.call(contract.playgroundJobs.stop, { headers, params: { job_id: id }, body: {} })
    await expect.poll(async () => (await ground.read(id)).done, { timeout: 60_000 }).toBe(1)
    expect(await ground.read(id)).toMatchObject({
      state: 'STOPPED',
      failures: [{ evaluator_error: expect.stringContaining('monthly limit of the provider') }],
    })
  }, 60_000)

  it('is not raised by prices that members set below the built-in ones, or hide', async () => {
    const known = await startFakeProvider({ key: PLAYGROUND_KEY, others: ['gpt-4o-mini'] })
    try {
      const as = await aWorkspace(app, `w ${uuid7()}`)
      const ground = await aPlayground(app, as, known)
      const spent = async () => {
        const events = await ground.run({
          variants: [ground.variant({ model: 'gpt-4o-mini', ...short })],
          variables: { question: 'q' },
        })
        expect(events.at(-1)?.type).toBe('finished')
        return (await app.call(spending.read, { headers: as.headers })).body.workspace
      }
      const { spent_usd: once } = await spent()
      expect(once).toBeGreaterThan(0)
      const headers = as.memberHeaders
      const free = { name: 'free', match_pattern: '.', prompt_cost: '0', completion_cost: '0' }
      expect((await app.call(modelPrices.create, { headers, body: free })).status).toBe(200)
      expect((await spent()).spent_usd).toBeCloseTo(2 * once, 12)
      const { body: prices } = await app.call(modelPrices.list, { headers })
      for (const { id, match_pattern } of prices) {
        if (/gpt-4o-mini/.test(match_pattern)) await app.call(modelPrices.delete, { headers, params: { id } })
      }
      expect(await spent()).toMatchObject({ spent_usd: expect.closeTo(3 * once, 12), unknown_calls: 0 })
      await app.call(spending.setLimits, { headers: as.headers, body: { workspace_usd: 3.5 * once } })
      const refused = await app.call(contract.playground.run, {
        headers,
        body: { variants: [ground.variant({ model: 'gpt-4o-mini', ...short })], variables: { question: 'q' } },
      })
      expect(refused.status).toBe(429)
    } finally {
      await known.close()
    }
  })

  it('counts a call in the month whose limit it was checked against', async () => {
    const one = await aGround()
    await one.limit({ workspace_usd: 1 })
    const [before, after] = [Date.UTC(2026, 10, 30, 23, 59, 59), Date.UTC(2026, 11, 1)]
    const planned = { tenantId: one.as.tenantId, providerId: one.ground.providerId, estimate: 1 }
    const deps = { relational, log: pino({ level: 'silent' }) }
    await reserveSpending({ ...deps, clock: () => before }, planned)
    // The month ends between two readings of the clock.
    const readings = [before]
    const outcome = reserveSpending({ ...deps, clock: () => readings.shift() ?? after }, planned)
    await outcome.catch(() => undefined)
    const ofNovember = await readSpending({ ...deps, clock: () => before }, one.as.tenantId)
    expect(ofNovember.workspace).toMatchObject({ spent_usd: 1, calls: 1 })
  })

  it('is kept when others have changed it since it was read', async () => {
    const { as, ground, limit, read } = await aGround()
    const { headers } = as
    const id = ground.providerId
    await limit({ workspace_usd: 5, expected: { workspace_usd: null, providers_usd: { [id]: null } } })
    const stale = { workspace_usd: 9, providers_usd: { [id]: 1 }, expected: { workspace_usd: null } }
    const refused = await app.call(spending.setLimits, { headers, body: stale })
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('workspace_usd')])
    await limit({ providers_usd: { [id]: 1 }, expected: { workspace_usd: 5, unpriced_call_usd: 0.01 } })
    const now = await read()
    expect([now.workspace.limit_usd, now.providers.map((one) => one.limit_usd)]).toEqual([5, [1]])
  })

  it('is read by members and set by admins, for providers of the workspace only', async () => {
    const one = await aGround()
    const other = await aGround()
    const body = { providers_usd: { [other.ground.providerId]: 5 } }
    expect((await app.call(spending.setLimits, { headers: one.as.headers, body })).status).toBe(404)
    const wrong = { workspace_usd: -1 }
    expect((await app.call(spending.setLimits, { headers: one.as.headers, body: wrong })).status).toBe(400)
    expect((await other.read()).providers.map(({ limit_usd }) => limit_usd)).toEqual([null])
  })
})

/** The same database for another process; PGlite has a single one. */
async function openSecond(engine: string, first: Relational): Promise<Relational> {
  if (engine !== 'postgres') return first
  const name = toRow(await first.db.execute(sql`select current_database() as name`), (row) => String(row.name))
  const url = new URL(process.env.TOUCHSTONE_TEST_POSTGRES_URL ?? '')
  url.pathname = `/${name}`
  return openPostgres(url.href, (error) => {
    throw error
  })
}

describe.each(concurrentRelationalEngines)('two processes on %s', (engine, open) => {
  it('set the same limits in any order, while calls are reserved', async () => {
    const first = await open()
    const second = await openSecond(engine, first)
    const deps = { relational: first, clock: () => Date.UTC(2026, 10, 27), log: pino({ level: 'silent' }) }
    const app = await startApp({ relational: first, clock: deps.clock })
    try {
      const as = await aWorkspace(app, 'acme')
      const add = async (name: string) => {
        const body = { name, kind: 'openai-chat', base_url: 'https://example.com', key: PLAYGROUND_KEY }
        return (await app.call(contract.modelProviders.create, { headers: as.headers, body })).body.id
      }
      const ids = await Promise.all(['a', 'b', 'c', 'd'].map(add))
      const set = (order: readonly string[], relational: Relational) => {
        const providers_usd = Object.fromEntries(order.map((id) => [id, 5]))
        return setSpendingLimits({ ...deps, relational }, as.tenantId, { providers_usd })
      }
      const planned = { tenantId: as.tenantId, providerId: ids[0]!, estimate: 0.001 }
      for (let round = 0; round < 20; round++) {
        await Promise.all([
          set(ids, first),
          set(ids.toReversed(), second),
          set(ids.toReversed(), first),
          reserveSpending({ ...deps, relational: second }, planned),
        ])
      }
      expect((await readSpending(deps, as.tenantId)).providers.map(({ limit_usd }) => limit_usd)).toEqual([5, 5, 5, 5])
    } finally {
      await app.close()
      if (second !== first) await second.close()
      await first.close()
    }
  }, 60_000)

  it('do not exceed a limit together, and a call that never ends stays counted', async () => {
    const first = await open()
    const second = await openSecond(engine, first)
    const deps = { relational: first, clock: () => Date.UTC(2026, 10, 27), log: pino({ level: 'silent' }) }
    const app = await startApp({ relational: first, clock: deps.clock })
    try {
      const as = await aWorkspace(app, 'acme')
      await app.call(spending.setLimits, { headers: as.headers, body: { workspace_usd: 1 } })
      const planned = { tenantId: as.tenantId, providerId: uuid7(), estimate: 0.1 }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, (_, at) =>
          reserveSpending({ ...deps, relational: at % 2 === 0 ? first : second }, planned),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
      const settled = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      await settled[0]?.settle({ end: { reply: null }, cost: 0.02 })
      const read = await app.call(spending.read, { headers: as.headers })
      expect(read.body.workspace).toMatchObject({ spent_usd: 0.92, calls: 10 })
    } finally {
      await app.close()
      if (second !== first) await second.close()
      await first.close()
    }
  })
})
