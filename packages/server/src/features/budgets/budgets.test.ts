import { contract, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aReceiver, type Receiver } from '../../testing/a-receiver.ts'
import { stamp } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { findPeriod } from './period.ts'

const { budgets, projects, notifications } = contract

describe.each(relationalEngines(import.meta.filename))('budgets on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let receiver: Receiver
  let now = Date.parse('2026-11-10T00:00:00Z')
  beforeAll(async () => {
    receiver = await aReceiver()
    relational = await open()
    app = await startApp({ relational, clock: () => now, config: { outboundAllow: ['127.0.0.1'] } })
    acme = await aWorkspace(app, 'acme')
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await receiver.close()
  })

  async function aProject() {
    const name = `p ${uuid7()}`
    const made = await app.call(projects.create, { headers: acme.headers, body: { name } })
    return { id: made.body.id, name }
  }
  /** A trace with one call of a model. */
  async function send(project: string, cost: number | undefined, metadata = {}): Promise<void> {
    const [root, llm] = [uuid7(), uuid7()]
    const at = timeOfEpochMs(now - 60_000)
    const path = stamp(at) + root
    const shared = { trace_id: root, session_name: project, start_time: at, end_time: at, inputs: {} }
    const usage = {
      input_tokens: 5,
      output_tokens: 5,
      total_tokens: 10,
      ...(cost !== undefined && { total_cost: cost }),
    }
    const post = [
      { ...shared, id: root, dotted_order: path, name: 'answer', run_type: 'chain', outputs: {}, extra: { metadata } },
      {
        ...shared,
        id: llm,
        parent_run_id: root,
        dotted_order: `${path}.${stamp(at)}${llm}`,
        name: 'call',
        run_type: 'llm',
        outputs: { usage_metadata: usage },
        extra: { metadata: { ls_model_name: 'local-model' } },
      },
    ]
    const answer = await app.fetch('/runs/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...acme.headers },
      body: JSON.stringify({ post, patch: [] }),
    })
    expect(answer.status, await answer.text()).toBe(202)
  }
  async function aBudget(body: object) {
    const made = await app.call(budgets.create, { headers: acme.headers, body: { name: `b ${uuid7()}`, ...body } })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const read = async (budget_id: string) =>
    (await app.call(budgets.read, { headers: acme.headers, params: { budget_id } })).body
  const reach = (id: string, spent: number) => {
    now += 60_000
    return expect.poll(async () => (await read(id)).current?.spent_usd, { timeout: 30_000 }).toBeCloseTo(spent)
  }
  const heard = (id: string) =>
    receiver.heard.map(({ body }) => JSON.parse(body)).filter((body) => body.budget_id === id)

  it('tell each step once, say what has no price, and refuse no run', async () => {
    const project = await aProject()
    const config = { kind: 'webhook', url: receiver.url }
    const channel = await app.call(notifications.create, { headers: acme.headers, body: { name: 'ops', config } })
    const budget = await aBudget({
      scope: { kind: 'project', project_id: project.id },
      amount_usd: 10,
      channel_ids: [channel.body.id],
    })
    await send(project.name, 2)
    await send(project.name, undefined)
    await reach(budget.id, 2)
    expect((await read(budget.id)).current).toMatchObject({
      calls: 2,
      unpriced_calls: 1,
      steps: [],
      summary: expect.stringContaining('1 of 2 calls have no price'),
    })
    await send(project.name, 4)
    await reach(budget.id, 6)
    await send(project.name, 6)
    await reach(budget.id, 12)
    await reach(budget.id, 12)
    await expect
      .poll(
        () =>
          heard(budget.id)
            .map(({ reached }) => reached)
            .sort(),
        { timeout: 30_000 },
      )
      .toEqual(['100 %', '50 %', 'forecast'])
    expect((await read(budget.id)).current).toMatchObject({ steps: [50, 80, 100], is_forecast_sent: true })
    await send(project.name, 1)
    now = Date.parse('2026-12-01T00:05:00Z')
    await reach(budget.id, 0)
    await expect.poll(() => heard(budget.id).at(-1)?.type, { timeout: 30_000 }).toBe('budget.resolved')
    const history = await app.call(budgets.history, {
      headers: acme.headers,
      params: { budget_id: budget.id },
      query: { periods: '2' },
    })
    expect(history.body.periods.map(({ period_start, spent_usd }) => [period_start, spent_usd])).toEqual([
      ['2026-11-01T00:00:00.000000Z', 13],
      ['2026-12-01T00:00:00.000000Z', 0],
    ])
  })

  it('sum by user, metadata and model, with the calls below a root', async () => {
    const project = await aProject()
    await send(project.name, 1, { user_id: 'ada', team: 'blue' })
    await send(project.name, 2, { user_id: 'eve', team: 'blue' })
    for (const [scope, spent] of [
      [{ kind: 'user', user: 'ada' }, 1],
      [{ kind: 'metadata', key: 'team', value: 'blue' }, 3],
      [{ kind: 'model', model: 'local-model' }, 3],
      [{ kind: 'workspace' }, 3],
    ] as const) {
      const budget = await aBudget({ scope, amount_usd: 100, period: 'day' })
      await reach(budget.id, spent)
    }
  })

  it('end with their project, and refuse what does not exist', async () => {
    const project = await aProject()
    const budget = await aBudget({ scope: { kind: 'project', project_id: project.id }, amount_usd: 1 })
    const create = (body: object) => app.call(budgets.create, { headers: acme.headers, body })
    expect((await create({ name: budget.name, scope: { kind: 'workspace' }, amount_usd: 1 })).status).toBe(409)
    const scope = { kind: 'project', project_id: uuid7() }
    expect((await create({ name: 'x', scope, amount_usd: 1 })).text).toContain('Project not found')
    expect((await create({ name: 'x', scope: { kind: 'workspace' }, amount_usd: 1, time_zone: 'Mars' })).status).toBe(
      400,
    )
    await app.call(projects.delete, { headers: acme.headers, params: { session_id: project.id } })
    const gone = await app.call(budgets.read, { headers: acme.headers, params: { budget_id: budget.id } })
    expect(gone.status).toBe(404)
  })
})

describe('periods of budgets', () => {
  const at = Date.parse('2026-03-29T12:00:00Z') // In Berlin, clocks went forward at 02:00.
  const print = (period: 'day' | 'week' | 'month', zone: string, back?: number) => {
    const { from, to } = findPeriod(period, zone, at, back)
    return [new Date(from).toISOString(), new Date(to).toISOString()]
  }

  it('begin at midnight of their time zone, on Mondays and on the first', () => {
    expect(print('day', 'Europe/Berlin')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
    expect(print('week', 'UTC')).toEqual(['2026-03-23T00:00:00.000Z', '2026-03-30T00:00:00.000Z'])
    expect(print('month', 'America/New_York')).toEqual(['2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'])
    expect(print('month', 'UTC', 3)).toEqual(['2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'])
  })
})
