import { contract, type RuleBackfill } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { openRuleBook, type RuleBook } from '../../testing/rule-book.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { rules } = contract

describe.each(relationalEngines(import.meta.filename))('backfills and trials on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let book: RuleBook
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    book = openRuleBook(() => app, acme)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const start = (rule_id: string, body: object) =>
    app.call(rules.createBackfill, { headers: acme.headers, params: { rule_id }, body })
  const listBackfills = async (rule_id: string): Promise<RuleBackfill[]> =>
    (await app.call(rules.listBackfills, { headers: acme.headers, params: { rule_id } })).body.backfills
  const untilDone = (rule_id: string) =>
    expect.poll(async () => (await listBackfills(rule_id))[0]?.state, { timeout: 30_000 }).toBe('done')

  /** A project with traces of the past, and a rule that was made after them. */
  async function aPast(count: number, definition: object = {}) {
    const project = await book.aProject()
    const traces = Array.from({ length: count }, (_, at) =>
      aTrace({ project: project.name, ageMs: 60_000 + at * 1000 }),
    )
    await book.send(traces.flatMap(({ post }) => post))
    await expect
      .poll(async () => (await forecast({ project_ids: [project.id], actions: [GIVE] })).seen, { timeout: 30_000 })
      .toBe(count * 2)
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [GIVE],
      ...definition,
    })
    return { project, traces, rule }
  }
  const GIVE = { kind: 'feedback', key: 'seen', score: 1 }
  async function forecast(definition: object, window: object = {}) {
    const answer = await app.call(rules.dryRun, { headers: acme.headers, body: { definition, ...window } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  it('acts on runs of the past once, and again when that is asked for', async () => {
    const { rule, traces } = await aPast(12)
    const window = { from: ago(3_600_000) }
    expect((await start(rule.id, window)).body).toMatchObject({ state: 'running', total: 12, progress: 0 })
    await untilDone(rule.id)
    expect(await listBackfills(rule.id)).toMatchObject([{ looked_at: 12, claimed: 12, open: 0, progress: 1 }])
    await book.reach(rule.id, 'done', 12)
    for (const { root } of traces) expect(await book.scores(root)).toMatchObject([{ key: 'seen' }])
    const [decision] = await book.decisions(rule.id)
    expect(decision).toMatchObject({ lag_ms: null, backfill_id: (await listBackfills(rule.id))[0]!.id })
    await start(rule.id, window)
    await untilDone(rule.id)
    expect((await listBackfills(rule.id))[0]).toMatchObject({ looked_at: 12, claimed: 0 })
    await start(rule.id, { ...window, again: true })
    await untilDone(rule.id)
    expect((await listBackfills(rule.id))[0]).toMatchObject({ looked_at: 12, claimed: 12 })
    for (const { root } of traces) expect(await book.scores(root)).toHaveLength(1)
    // One run, by hand.
    const body = { run_ids: [traces[0]!.root] }
    const redone = await app.call(rules.redo, { headers: acme.headers, params: { rule_id: rule.id }, body })
    expect(redone.body).toEqual({ redone: 1 })
  })

  it('acts on traces and threads of the past as on live ones', async () => {
    const { rule, traces } = await aPast(3, { target: 'trace', quiet_seconds: 3600 })
    await start(rule.id, { from: ago(3_600_000) })
    await untilDone(rule.id)
    await book.reach(rule.id, 'done', 3)
    for (const { root } of traces) expect(await book.scores(root)).toMatchObject([{ key: 'seen' }])
  })

  it('waits while it is paused, and leaves what it has not begun when it is canceled', async () => {
    const { rule } = await aPast(4)
    await book.update(rule.id, { is_enabled: false })
    const { body } = await start(rule.id, { from: ago(3_600_000) })
    const set = (state: string) =>
      app.call(rules.updateBackfill, {
        headers: acme.headers,
        params: { rule_id: rule.id, backfill_id: body.id },
        body: { state },
      })
    expect((await set('paused')).body.state).toBe('paused')
    expect((await set('canceled')).body).toMatchObject({ state: 'canceled', finished_at: expect.any(String) })
    const late = await set('running')
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('has ended')])
    expect(await book.decisions(rule.id)).toEqual([])
  })

  it('counts the same runs before it is saved, live and in a backfill', async () => {
    const { rule, project } = await aPast(10, { sampling_rate: 0.5 })
    const window = { from: ago(3_600_000) }
    const expected = await forecast(rule.definition, window)
    expect(expected).toMatchObject({ seen: 20, matched: 10, is_sampled_derived: false })
    expect(expected.estimate).toEqual({
      calls: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cost: 0,
      cost_per_week: 0,
    })
    await start(rule.id, window)
    await untilDone(rule.id)
    await book.reach(rule.id, 'done', expected.sampled)
    await book.reach(rule.id, 'sampled_out', 10 - expected.sampled)
    expect(expected.samples.map(({ run_id }) => run_id).sort()).toEqual(
      (await book.decisions(rule.id, { state: 'done' }))
        .map(({ run_id, run_start_time }) => ({ run_id, run_start_time }))
        .sort((a, b) => (a.run_start_time < b.run_start_time ? 1 : -1))
        .slice(0, 5)
        .map(({ run_id }) => run_id)
        .sort(),
    )
    const { body } = await app.call(rules.counts, { headers: acme.headers, query: {} })
    const own = body.rules.find(({ rule_id }) => rule_id === rule.id)
    expect(own).toMatchObject({ done: expected.sampled, sampled_out: 10 - expected.sampled, waiting: 0 })
    expect(project.id).toBe(rule.definition.project_ids[0])
  })

  it('tries a definition on runs, and stores nothing', async () => {
    const { rule, traces } = await aPast(3)
    const length = await book.program(
      'function evaluate({ outputs }) { return { key: "n", score: outputs.answer.length } }',
    )
    const definition = {
      ...rule.definition,
      actions: [
        { kind: 'evaluate', evaluator_id: length },
        { kind: 'tag', tags: ['judged'] },
      ],
    }
    const tried = await app.call(rules.try, { headers: acme.headers, body: { definition, count: 2 } })
    expect(tried.status, tried.text).toBe(200)
    expect(tried.body.runs.map(({ run_id }) => run_id)).toEqual([traces[0]!.root, traces[1]!.root])
    expect(tried.body.runs[0]!.outcomes).toEqual([
      { kind: 'evaluate', state: 'done', detail: 'n: 3', cost: null, scores: [expect.objectContaining({ score: 3 })] },
      { kind: 'tag', state: 'done', detail: 'It would add the tags judged.', cost: null, scores: [] },
    ])
    expect(await book.scores(traces[0]!.root)).toEqual([])
    const read = await app.call(rules.try, { headers: acme.readOnlyHeaders, body: { definition } })
    expect(read.status).toBe(403)
  })
})
