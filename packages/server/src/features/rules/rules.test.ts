import { contract, type RuleDecision, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { ruleClaims } from '../../storage/relational/tables/rules.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { openRuleBook, type RuleBook } from '../../testing/rule-book.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { rules, modelProviders, datasets, examples, annotationQueues } = contract

describe.each(relationalEngines(import.meta.filename))('rules on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let fake: FakeProvider
  let ground: APlayground
  let book: RuleBook
  beforeAll(async () => {
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    ground = await aPlayground(app, acme, fake)
    book = openRuleBook(() => app, acme)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  it('judge matching runs with a model and with a program, and store scores once', async () => {
    const project = await book.aProject()
    const program = await book.anEvaluator({
      kind: 'javascript',
      source: 'function evaluate({ outputs }) { return { key: "agrees", score: outputs.answer === "yes" ? 1 : 0 } }',
    })
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'and(eq(is_root, true), eq(name, "answer"))',
      actions: [
        { kind: 'evaluate', evaluator_id: await book.judge(ground.providerId) },
        { kind: 'evaluate', evaluator_id: program },
      ],
    })
    const trace = aTrace({ project: project.name })
    await book.send(trace.post)
    await book.reach(rule.id, 'done', 1)
    const given = await book.scores(trace.root)
    expect(given.map(({ key, score }) => [key, score]).sort()).toEqual([
      ['agrees', 1],
      ['good', 1],
    ])
    expect(given.map(({ feedback_source }) => feedback_source)).toEqual(
      Array(2).fill(
        expect.objectContaining({
          type: 'auto_eval',
          metadata: expect.objectContaining({ rule_id: rule.id, rule_version: 1 }),
        }),
      ),
    )
    // Feedback is a new version of the run, and no reason to judge it again; neither is a change of its tags.
    await book.send(
      [],
      [{ id: trace.root, trace_id: trace.root, dotted_order: trace.post[0]!.dotted_order, tags: ['new'] }],
    )
    await book.send(aTrace({ project: project.name }).post)
    await book.reach(rule.id, 'done', 2)
    expect(await book.scores(trace.root)).toHaveLength(2)
    expect(await book.decisions(rule.id, { limit: '100' })).toHaveLength(2)
    const [decision] = await book.decisions(rule.id)
    expect(decision).toMatchObject({ state: 'done', attempts: 1, rule_version: 1, sampling_rate: 1 })
    expect(decision!.outcomes.map(({ kind, state, detail }) => [kind, state, detail])).toEqual([
      ['evaluate', 'done', 'good: 1'],
      ['evaluate', 'done', 'agrees: 1'],
    ])
  })

  it('wait for the end of a run, judge what came last, and judge a changed output again', async () => {
    const project = await book.aProject()
    const program = await book.anEvaluator({
      kind: 'javascript',
      source: 'function evaluate({ outputs }) { return { key: "length", score: outputs.answer.length } }',
    })
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'evaluate', evaluator_id: program }],
    })
    const { root, post, times } = aTrace({ project: project.name })
    const { end_time: _, outputs: __, ...begun } = post[0]!
    await book.send([begun])
    const path = { id: root, trace_id: root, dotted_order: begun.dotted_order }
    const waiting = await book.explain(root, rule.id)
    expect([waiting.decision, waiting.summary]).toEqual([null, 'Waiting: the run has no end time.'])
    await book.send([], [{ ...path, end_time: times[3], outputs: { answer: 'four' } }])
    await book.reach(rule.id, 'done', 1)
    expect(await book.scores(root)).toMatchObject([{ key: 'length', score: 4 }])
    await book.send([], [{ ...path, outputs: { answer: 'sixsix' } }])
    await book.reach(rule.id, 'done', 2)
    expect(await book.scores(root)).toMatchObject([{ key: 'length', score: 6 }])
  })

  it('say by which condition a run does not match', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'and(eq(is_root, true), eq(status, "error"), gt(latency, 100))',
      actions: [{ kind: 'feedback', key: 'seen', score: 1 }],
    })
    const elsewhere = await book.aRule({
      project_ids: [(await book.aProject()).id],
      actions: [{ kind: 'feedback', key: 'seen', score: 1 }],
    })
    const { root, post } = aTrace({ project: project.name })
    await book.send(post)
    const explained = await book.explain(root, rule.id)
    expect(explained.clauses.map(({ of, text, holds }) => [of, text, holds])).toEqual([
      ['project', expect.any(String), true],
      ['end', expect.any(String), true],
      ['filter', 'eq(is_root, true)', true],
      ['filter', 'eq(status, "error")', false],
      ['filter', 'gt(latency, 100)', false],
    ])
    expect(explained.summary).toBe('It does not match: eq(status, "error")')
    expect((await book.explain(root, elsewhere.id)).summary).toBe('The rule does not look at the project of the run.')
    expect((await app.call(rules.explain, { headers: acme.headers, params: { run_id: uuid7() } })).status).toBe(404)
  })

  it('sample traces by their ids: a higher rate contains the traces of a lower one', async () => {
    const project = await book.aProject()
    const make = (sampling_rate: number) =>
      book.aRule({
        project_ids: [project.id],
        filter: 'eq(is_root, true)',
        sampling_rate,
        actions: [{ kind: 'feedback', key: `at ${sampling_rate}`, value: 'seen' }],
      })
    const [some, half] = [await make(0.2), await make(0.5)]
    const traces = Array.from({ length: 60 }, () => aTrace({ project: project.name }))
    await book.send(traces.flatMap(({ post }) => post))
    const all = async (id: string) => {
      await expect
        .poll(
          async () =>
            (await book.decisions(id, { limit: '100' })).filter(
              ({ state }) => state === 'done' || state === 'sampled_out',
            ).length,
          {
            timeout: 30_000,
          },
        )
        .toBe(60)
      return book.decisions(id, { limit: '100' })
    }
    const [ofSome, ofHalf] = [await all(some.id), await all(half.id)]
    for (const { state, sample_value, sampling_rate } of [...ofSome, ...ofHalf]) {
      expect(state).toBe(sample_value < sampling_rate ? 'done' : 'sampled_out')
    }
    const ids = (of: RuleDecision[]) => of.filter(({ state }) => state === 'done').map(({ run_id }) => run_id)
    expect(ids(ofSome).length).toBeGreaterThan(0)
    expect(ids(ofHalf)).toEqual(expect.arrayContaining(ids(ofSome)))
    const funnel = await app.call(rules.funnel, { headers: acme.headers, params: { rule_id: some.id }, query: {} })
    expect(funnel.body).toMatchObject({ seen: 120, matched: 60, waiting: 0, failed: 0, done: ids(ofSome).length })
    const out = ofSome.find(({ state }) => state === 'sampled_out')!
    expect((await book.explain(out.run_id, some.id)).summary).toMatch(/not in the sample: 0\.\d{4} ≥ 0\.2$/)
  })

  it('add runs to a dataset and to a queue, each once', async () => {
    const project = await book.aProject()
    const { headers } = acme
    const dataset = (await app.call(datasets.create, { headers, body: { name: `d ${uuid7()}` } })).body
    const queue = (await app.call(annotationQueues.create, { headers, body: { name: `q ${uuid7()}` } })).body
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [
        { kind: 'add_to_dataset', dataset_id: dataset.id },
        { kind: 'add_to_queue', queue_id: queue.id },
      ],
    })
    const { root, post } = aTrace({ project: project.name })
    await book.send(post)
    await book.reach(rule.id, 'done', 1)
    const stored = await app.call(examples.list, { headers, query: { dataset: dataset.id } })
    expect(stored.body).toMatchObject([{ source_run_id: root, outputs: { answer: 'yes' } }])
    const items = await app.fetch(`/annotation-queues/${queue.id}/size`, { headers })
    expect(await items.json()).toMatchObject({ size: 1 })
  })

  it('are blocked by a refused key, tell why, and go on with what waited', async () => {
    const project = await book.aProject()
    const body = {
      name: `Bad ${uuid7()}`,
      kind: 'openai-chat',
      base_url: fake.url,
      key: 'sk-wrong-0123456789',
      provider: 'fake',
    }
    const provider = (await app.call(modelProviders.create, { headers: acme.headers, body })).body
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'evaluate', evaluator_id: await book.judge(provider.id) }],
    })
    const traces = [aTrace({ project: project.name }), aTrace({ project: project.name })]
    await book.send(traces.flatMap(({ post }) => post))
    await expect
      .poll(async () => (await book.read(rule.id)).blocked?.reason, { timeout: 30_000 })
      .toBe('provider_key_refused')
    await book.reach(rule.id, 'waiting', 2)
    expect((await book.explain(traces[0]!.root, rule.id)).summary).toMatch(/^It waits: the rule is blocked\./)
    const change = { key: PLAYGROUND_KEY }
    const params = { provider_id: provider.id }
    expect((await app.call(modelProviders.update, { headers: acme.headers, params, body: change })).status).toBe(200)
    expect((await book.update(rule.id, { is_enabled: true })).body.blocked).toBeNull()
    await book.reach(rule.id, 'done', 2)
    for (const { root } of traces) expect(await book.scores(root)).toMatchObject([{ key: 'good', score: 1 }])
  })

  it('do with a version that mends a block what has waited', async () => {
    const project = await book.aProject()
    const dataset = await app.call(datasets.create, { headers: acme.headers, body: { name: `gone ${uuid7()}` } })
    const of = (actions: readonly object[]) => ({ project_ids: [project.id], filter: 'eq(is_root, true)', actions })
    const rule = await book.aRule(of([{ kind: 'add_to_dataset', dataset_id: dataset.body.id }]))
    const params = { dataset_id: dataset.body.id }
    expect((await app.call(datasets.delete, { headers: acme.headers, params })).status).toBeLessThan(300)
    const { root, post } = aTrace({ project: project.name })
    await book.send(post)
    await expect
      .poll(async () => (await book.read(rule.id)).blocked?.reason, { timeout: 30_000 })
      .toBe('target_missing')
    const mended = await book.update(rule.id, { definition: of([{ kind: 'feedback', key: 'seen', score: 1 }]) })
    expect(mended.body).toMatchObject({ version: 2, blocked: null })
    await book.reach(rule.id, 'done', 1)
    expect((await book.read(rule.id)).blocked).toBeNull()
    expect(await book.decisions(rule.id)).toMatchObject([{ run_id: root, rule_version: 2 }])
  })

  it('go on after a stop in the middle, and give each run its scores once', async () => {
    const project = await book.aProject()
    const evaluator_id = await book.judge(ground.providerId, 'fake-script-slow')
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'evaluate', evaluator_id }],
    })
    const traces = Array.from({ length: 30 }, () => aTrace({ project: project.name }))
    await book.send(traces.flatMap(({ post }) => post))
    await expect
      .poll(async () => (await book.decisions(rule.id, { state: 'done' })).length, { timeout: 30_000 })
      .toBeGreaterThan(0)
    await app.close()
    app = await startApp({ relational })
    await book.reach(rule.id, 'done', 30)
    for (const { root } of traces) expect(await book.scores(root)).toMatchObject([{ key: 'good', score: 1 }])
  })

  it('fail a run during which the process died again and again', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({ project_ids: [project.id], actions: [{ kind: 'feedback', key: 'seen', score: 1 }] })
    await book.update(rule.id, { is_enabled: false })
    const [runId, now] = [uuid7(), new Date().toISOString()]
    await relational.db.insert(ruleClaims).values({
      rule_id: rule.id,
      target_id: runId,
      run_id: runId,
      ready_at: now,
      target_version: 'x',
      tenant_id: acme.tenantId,
      rule_version: 1,
      trace_id: runId,
      session_id: project.id,
      start_time: now,
      sample_value: 0,
      state: 'running',
      attempts: 5,
      due_at: now,
      decided_at: now,
    })
    await book.update(rule.id, { is_enabled: true })
    await book.reach(rule.id, 'failed', 1)
    expect(await book.decisions(rule.id)).toMatchObject([
      { run_id: runId, detail: 'The server stopped unexpectedly during each try.' },
    ])
  })

  it('have versions, and are checked the same way when they are changed', async () => {
    const project = await book.aProject()
    const definition = { project_ids: [project.id], actions: [{ kind: 'feedback', key: 'seen', score: 1 }] }
    const rule = await book.aRule(definition)
    const changed = await book.update(rule.id, {
      definition: { ...definition, filter: 'eq(is_root, true)' },
      expected_version: 1,
    })
    expect(changed.body).toMatchObject({ version: 2, definition: { filter: 'eq(is_root, true)' } })
    expect((await book.update(rule.id, { name: 'x', expected_version: 1 })).status).toBe(409)
    const params = { rule_id: rule.id }
    const { body } = await app.call(rules.listVersions, { headers: acme.headers, params })
    expect(body.versions.map(({ version, definition }) => [version, definition.filter ?? null])).toEqual([
      [2, 'eq(is_root, true)'],
      [1, null],
    ])
    for (const [wrong, words] of [
      [{ filter: 'eq(status' }, 'Invalid filter'],
      [{ sampling_seed: 'ü'.repeat(15) }, 'has more than 28 bytes'],
      [{ project_ids: [uuid7()] }, 'Project not found'],
      [{ actions: [{ kind: 'evaluate', evaluator_id: uuid7() }] }, 'Evaluator not found'],
      [{ actions: [{ kind: 'add_to_dataset', dataset_id: uuid7() }] }, 'Dataset not found'],
      [{ actions: [{ kind: 'add_to_queue', queue_id: uuid7() }] }, 'Queue not found'],
      [{ actions: [{ kind: 'feedback', key: 'seen' }] }, 'Give a score or a value'],
    ] as const) {
      const body = { name: `r ${uuid7()}`, definition: { ...definition, ...wrong } }
      const refused = await app.call(rules.create, { headers: acme.headers, body })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)])
      expect((await book.update(rule.id, { definition: body.definition })).status).toBe(400)
    }
  })

  it('do not act on runs of a pause, and are forgotten with their decisions', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({ project_ids: [project.id], actions: [{ kind: 'feedback', key: 'seen', score: 1 }] })
    await book.update(rule.id, { is_enabled: false })
    const { root, post } = aTrace({ project: project.name })
    await book.send(post)
    expect((await book.explain(root, rule.id)).summary).toBe('The run matches, but the rule is off.')
    expect((await app.call(rules.delete, { headers: acme.headers, params: { rule_id: rule.id } })).status).toBe(204)
    expect((await app.call(rules.read, { headers: acme.headers, params: { rule_id: rule.id } })).status).toBe(404)
    expect(await book.scores(root)).toEqual([])
  })

  it('belong to their workspace', async () => {
    const other = await aWorkspace(app, `other${Date.now()}`)
    const project = await book.aProject()
    const rule = await book.aRule({ project_ids: [project.id], actions: [{ kind: 'feedback', key: 'seen', score: 1 }] })
    const params = { rule_id: rule.id }
    const { headers } = other
    for (const route of [rules.read, rules.listVersions, rules.listDecisions, rules.funnel, rules.delete]) {
      expect((await app.call(route, { headers, params })).status).toBe(404)
    }
    expect((await app.call(rules.update, { headers, params, body: { name: 'x' } })).status).toBe(404)
    const body = { name: 'theirs', definition: rule.definition }
    expect((await app.call(rules.create, { headers, body })).status).toBe(400)
    expect((await app.call(rules.create, { headers: acme.readOnlyHeaders, body })).status).toBe(403)
  })
})
