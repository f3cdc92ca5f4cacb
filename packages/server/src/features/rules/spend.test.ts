import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { openRuleBook, type RuleBook } from '../../testing/rule-book.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { toWindow } from './spend.ts'

const { rules, modelPrices } = contract
const DAY_MS = 86_400_000

it.each([
  ['a day', 'day', '2026-11-28T13:00:00Z', '2026-11-28', '2026-11-29'],
  ['a week', 'week', '2026-11-28T13:00:00Z', '2026-11-23', '2026-11-30'],
  ['the first moment of a week', 'week', '2026-11-23T00:00:00Z', '2026-11-23', '2026-11-30'],
  ['the last moment of a week', 'week', '2026-11-22T23:59:59.999Z', '2026-11-16', '2026-11-23'],
] as const)('%s begins and ends at midnight', (_, window, now, start, end) => {
  const { startMs, endMs } = toWindow(window, Date.parse(now))
  expect([startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([start, end])
})

describe.each(relationalEngines(import.meta.filename))('spend of rules on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let fake: FakeProvider
  let ground: APlayground
  let book: RuleBook
  let ahead = 0
  beforeAll(async () => {
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    relational = await open()
    app = await startApp({ relational, clock: () => Date.now() + ahead })
    acme = await aWorkspace(app, 'acme')
    ground = await aPlayground(app, acme, fake)
    book = openRuleBook(() => app, acme)
    const price = { name: 'script', match_pattern: '^fake-script$', prompt_cost: 0.001, completion_cost: 0.001 }
    const priced = await app.call(modelPrices.create, { headers: acme.headers, body: price })
    expect(priced.status, priced.text).toBeLessThan(300)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  const spend = async (rule_id: string) =>
    (await app.call(rules.spend, { headers: acme.headers, params: { rule_id } })).body
  async function aJudge(limit: object | null, model = 'fake-script') {
    const project = await book.aProject()
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'evaluate', evaluator_id: await book.judge(ground.providerId, model) }],
      spend_limit: limit,
    })
    const send = async () => {
      const { root, post } = aTrace({ project: project.name })
      await book.send(post)
      return root
    }
    return { rule, send }
  }

  it('stops calls at the limit, tells so, and goes on in the next window', async () => {
    const free = await aJudge(null)
    await free.send()
    await book.reach(free.rule.id, 'done', 1)
    const one = (await spend(free.rule.id)).spent_usd
    expect(one).toBeGreaterThan(0)
    expect((await book.decisions(free.rule.id))[0]!.cost).toBeCloseTo(one, 12)

    // An estimate is more than what this model uses: one call fits, and after it no other.
    const body = { definition: free.rule.definition }
    const { estimate } = (await app.call(rules.dryRun, { headers: acme.headers, body })).body
    const limit_usd = (estimate.cost ?? 0) + one / 2
    expect(estimate).toMatchObject({ calls: 1, cost_per_week: expect.closeTo(7 * estimate.cost!, 9) })
    const { rule, send } = await aJudge({ limit_usd, window: 'day' })
    const first = await send()
    await book.reach(rule.id, 'done', 1)
    const second = await send()
    await book.reach(rule.id, 'limited', 1)
    expect(await spend(rule.id)).toMatchObject({ calls: 1, unpriced_calls: 0, limit_usd, window: 'day' })
    expect((await book.explain(second, rule.id)).summary).toMatch(
      /^The spend limit of the rule is reached: The rule has spent \$/,
    )
    expect(await book.scores(second)).toEqual([])
    ahead += DAY_MS
    await book.reach(rule.id, 'done', 2)
    expect(await book.scores(first)).toHaveLength(1)
    expect(await book.scores(second)).toHaveLength(1)
    expect((await spend(rule.id)).days).toHaveLength(2)
  })

  it('leaves runs that would be older than a day when the next window begins', async () => {
    const { rule, send } = await aJudge({ limit_usd: 0, window: 'week' })
    // On a Monday the window ends in more than a day.
    while (new Date(Date.now() + ahead).getUTCDay() !== 1) ahead += DAY_MS
    await send()
    await book.reach(rule.id, 'limited', 1)
    await expect
      .poll(async () => relational.db.execute(`select state from rule_claims where rule_id = '${rule.id}'`), {
        timeout: 30_000,
      })
      .toMatchObject({ rows: [{ state: 'limited' }] })
  })

  it('is blocked where a limit cannot hold because the model has no price', async () => {
    const { rule, send } = await aJudge({ limit_usd: 1 }, 'fake-script-slow')
    await send()
    await expect
      .poll(async () => (await book.read(rule.id)).blocked?.reason, { timeout: 30_000 })
      .toBe('model_unpriced')
    const definition = { ...rule.definition, spend_limit: { limit_usd: 1, allows_unpriced: true } }
    expect((await book.update(rule.id, { definition })).body.blocked).toBeNull()
    await book.reach(rule.id, 'done', 1)
    expect(await spend(rule.id)).toMatchObject({ calls: 1, unpriced_calls: 1, spent_usd: 0 })
  })
})
