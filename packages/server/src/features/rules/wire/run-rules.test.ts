import { contract, type RunRule, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../../storage/relational/port.ts'
import { aTrace } from '../../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../../testing/a-workspace.ts'
import { type FakeProvider, startFakeProvider } from '../../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../../testing/playground.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { rules, runRules, runRulesV2, evaluators, projects, datasets, annotationQueues, feedback, savedEvaluators } =
  contract

const ANSWER = '<<<{"grounded":{"value":true}}>>>'
const JUDGE = {
  prompt: [
    ['system', 'Judge the answer.'],
    ['human', `Q: {{question}} A: {{answer}} ${ANSWER}`],
  ],
  template_format: 'mustache',
  schema: { type: 'object', properties: { grounded: { type: 'boolean' } }, required: ['grounded'] },
  variable_mapping: { question: 'input', answer: 'output.answer' },
  model: {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'chat_models', 'openai', 'ChatOpenAI'],
    kwargs: { model: 'fake-script', temperature: 0 },
  },
}

describe.each(relationalEngines(import.meta.filename))('rules of public clients on %s', (_engine, open) => {
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

  async function aProject(): Promise<{ id: string; name: string }> {
    const name = `p ${uuid7()}`
    const made = await app.call(projects.create, { headers: acme.headers, body: { name } })
    return { id: made.body.id, name }
  }
  async function send(post: readonly object[]): Promise<void> {
    const answer = await app.fetch('/runs/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...acme.headers },
      body: JSON.stringify({ post, patch: [] }),
    })
    expect(answer.status, await answer.text()).toBe(202)
  }
  const create = (body: object) => app.call(runRules.create, { headers: acme.headers, body })
  async function aRule(body: object): Promise<RunRule> {
    const made = await create({ display_name: `rule ${uuid7()}`, sampling_rate: 1, ...body })
    expect(made.status, made.text).toBe(200)
    return made.body
  }
  const update = (rule_id: string, body: object) =>
    app.call(runRules.update, { headers: acme.headers, params: { rule_id }, body })
  const logs = async (rule_id: string, query: Record<string, string> = {}) => {
    const answer = await app.call(runRules.logs, { headers: acme.headers, params: { rule_id }, query })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const reach = (rule_id: string, count: number) =>
    expect.poll(async () => (await logs(rule_id)).length, { timeout: 30_000 }).toBe(count)
  const list = async (query: Record<string, string | string[]> = {}) =>
    (await app.call(runRules.list, { headers: acme.headers, query })).body
  const own = async (rule_id: string) =>
    (await app.call(rules.read, { headers: acme.headers, params: { rule_id } })).body

  it('judge a run with an inline prompt, and say so in feedback, log and spend', async () => {
    const project = await aProject()
    const given = {
      session_id: project.id,
      filter: 'eq(is_root, true)',
      evaluators: [{ structured: JUDGE }],
      webhooks: [{ url: 'https://example.com/hook', headers: { authorization: 'secret-header' } }],
      alerts: [{ type: 'pagerduty', routing_key: 'secret-routing', severity: 'error' }],
      include_extended_stats: true,
      a_field_of_tomorrow: { kept: [1, 'two'] },
    }
    const rule = await aRule(given)
    expect(rule).toMatchObject({ ...given, session_name: project.name, evaluator_type: 'llm', is_enabled: true })
    expect(rule.notices).toHaveLength(2)
    expect(await own(rule.id)).toMatchObject({
      name: rule.display_name,
      definition: { project_ids: [project.id], actions: [{ kind: 'evaluate', evaluator_id: rule.evaluator_id }] },
    })
    const params = { evaluator_id: rule.evaluator_id ?? '' }
    const saved = await app.call(savedEvaluators.read, { headers: acme.headers, params })
    expect(saved.body).toMatchObject({ name: rule.display_name, kind: 'llm_judge', keys: ['grounded'] })

    const { root, post } = aTrace({ project: project.name })
    await send(post)
    await reach(rule.id, 1)
    const scores = await app.call(feedback.list, { headers: acme.headers, query: { run: root } })
    expect(scores.body).toMatchObject([{ key: 'grounded', score: 1 }])
    const [entry] = await logs(rule.id)
    expect(entry).toMatchObject({
      rule_id: rule.id,
      run_id: root,
      run_name: 'answer',
      run_session_id: project.id,
      evaluators: { outcome: 'success', payload: { results: [{ detail: 'grounded: 1' }] } },
      add_to_dataset: null,
    })
    const last = await app.call(runRules.lastApplied, { headers: acme.headers, params: { rule_id: rule.id } })
    expect(last.body).toEqual(entry)
    expect(await logs(rule.id, { backfill: 'true' })).toEqual([])
    expect(await logs(rule.id, { end_time: entry!.start_time })).toEqual([])

    const [listed] = await list({ id: [rule.id] })
    expect(listed).toMatchObject({ trace_count: 1 })
    const online = await app.call(evaluators.list, { headers: acme.headers, query: { feedback_key: 'grounded' } })
    expect(online.body.evaluators).toMatchObject([
      { id: rule.evaluator_id, type: 'llm', feedback_keys: ['grounded'], run_rules: [{ id: rule.id, trace_count: 1 }] },
    ])
    const period_start = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    for (const group_by of ['run_rule', 'evaluator', 'resource'] as const) {
      const query = { period_start, group_by, resource_id: project.id }
      const spend = await app.call(evaluators.spend, { headers: acme.headers, query })
      expect(spend.body.groups, group_by).toMatchObject([
        {
          run_rule_id: rule.id,
          run_rule_name: rule.display_name,
          evaluator_id: rule.evaluator_id,
          session_id: project.id,
          session_name: project.name,
          total_trace_count: 1,
        },
      ])
      expect(spend.body.groups[0]!.days).toHaveLength(7)
    }
  })

  it('name their model, and are limited by what they may spend in a week', async () => {
    const project = await aProject()
    const unnamed = await create({
      display_name: `rule ${uuid7()}`,
      sampling_rate: 1,
      session_id: project.id,
      evaluators: [{ structured: { ...JUDGE, model: null } }],
    })
    expect([unnamed.status, unnamed.text]).toEqual([422, expect.stringContaining('Name a model')])
    const limited = await aRule({
      session_id: project.id,
      evaluators: [{ structured: JUDGE }],
      spend_limit: { limit_usd: '25.00', window: 'weekly' },
    })
    expect(limited).toMatchObject({
      spend_limit: { limit_usd: '25.00', window: 'weekly' },
      effective_spend_limit: { limit_usd: '25.00', window: 'weekly' },
      spend_usd: 0,
    })
    expect((await own(limited.id)).definition.spend_limit).toMatchObject({ limit_usd: 25, window: 'week' })
    const changed = await update(limited.id, { spend_limit: null })
    expect(changed.body).toMatchObject({ spend_limit: null, effective_spend_limit: null })
  })

  it('run a program of a public client, and refuse one in Python', async () => {
    const project = await aProject()
    const code = 'function performEval(run, example) { return { length: run.outputs.answer.length, name: run.name } }'
    const program = { code, language: 'javascript' }
    const python = {
      display_name: 'py',
      sampling_rate: 1,
      session_id: project.id,
      code_evaluators: [{ code: 'def f(): 1' }],
    }
    const refused = await create(python)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('runs JavaScript, not Python')])
    const rule = await aRule({ session_id: project.id, filter: 'eq(is_root, true)', code_evaluators: [program] })
    expect(rule).toMatchObject({ evaluator_type: 'code', code_evaluators: [program], evaluators: null })
    const { root, post } = aTrace({ project: project.name })
    await send(post)
    await reach(rule.id, 1)
    const scores = await app.call(feedback.list, { headers: acme.headers, query: { run: root } })
    expect(scores.body.map(({ key, score, value }) => [key, score, value]).sort()).toEqual([
      ['length', 3, null],
      ['name', null, 'answer'],
    ])
  })

  it('are listed in both versions, with rules of ours among them', async () => {
    const [project, dataset] = [
      await aProject(),
      (await app.call(datasets.create, { headers: acme.headers, body: { name: `d ${uuid7()}` } })).body,
    ]
    const queue = (await app.call(annotationQueues.create, { headers: acme.headers, body: { name: `q ${uuid7()}` } }))
      .body
    const mark = uuid7()
    const body = {
      name: `${mark} ours`,
      definition: { project_ids: [project.id], target: 'thread', actions: [{ kind: 'tag', tags: ['seen'] }] },
    }
    const ours = (await app.call(rules.create, { headers: acme.headers, body })).body
    const wired = await aRule({
      display_name: `${mark} wired`,
      dataset_id: dataset.id,
      add_to_annotation_queue_id: queue.id,
      code_evaluators: [
        { code: 'function evaluate() { return 1 }', language: 'javascript', code_evaluator_input: 'thread' },
      ],
      alerts: [{ type: 'pagerduty', routing_key: 'k', severity: 'critical' }],
    })
    expect(wired).toMatchObject({ dataset_name: dataset.name, add_to_annotation_queue_name: queue.name })
    const ids = async (query: Record<string, string | string[]>) => (await list(query)).map(({ id }) => id)
    expect(await ids({ name_contains: mark })).toEqual([ours.id, wired.id])
    expect(await ids({ name_contains: mark, type: 'dataset' })).toEqual([wired.id])
    expect(await ids({ session_id: project.id })).toEqual([ours.id])
    expect(await ids({ dataset_id: dataset.id })).toEqual([wired.id])
    expect(await ids({ evaluator_id: wired.evaluator_id! })).toEqual([wired.id])
    expect(await ids({ name_contains: mark, tag_value_id: uuid7() })).toEqual([])

    const page = async (query: Record<string, string>) =>
      (await app.call(runRulesV2.list, { headers: acme.headers, query: { name_contains: mark, ...query } })).body
    const first = await page({ page_size: '1' })
    expect(first.items).toMatchObject([
      { id: ours.id, project_id: project.id, project_name: project.name, group_by: 'THREAD_ID', is_enabled: true },
    ])
    const second = await page({ page_size: '1', cursor: first.next_cursor! })
    expect(second.next_cursor).toBeNull()
    expect(second.items).toMatchObject([
      {
        id: wired.id,
        project_id: null,
        code_evaluators: [{ language: 'JAVASCRIPT', code_evaluator_input: 'THREAD', require_attachments: false }],
        alerts: [{ type: 'PAGERDUTY', severity: 'CRITICAL', routing_key: 'k' }],
        transient: false,
        is_tracing_disabled: false,
      },
    ])
    expect((await page({ type: 'PROJECT' })).items).toMatchObject([{ id: ours.id }])
  })

  it('stay as they are when they are sent back whole, and keep what only our pages know', async () => {
    const project = await aProject()
    const rule = await aRule({ session_id: project.id, evaluators: [{ structured: JUDGE }] })
    const same = await update(rule.id, rule)
    expect(same.status, same.text).toBe(200)
    expect({ ...same.body, updated_at: '' }).toEqual({ ...rule, updated_at: '' })
    const { definition } = await own(rule.id)
    const more = { ...definition, quiet_seconds: 33, actions: [...definition.actions, { kind: 'tag', tags: ['seen'] }] }
    const params = { rule_id: rule.id }
    await app.call(rules.update, { headers: acme.headers, params, body: { definition: more } })
    const structured = { ...JUDGE, prompt: [['human', `{{output}} ${ANSWER}`]], variable_mapping: null }
    const changed = await update(rule.id, { evaluators: [{ structured }], sampling_rate: 0.5, group_by: 'thread_id' })
    expect(changed.body).toMatchObject({
      evaluator_id: rule.evaluator_id,
      evaluators: [{ structured }],
      sampling_rate: 0.5,
      group_by: 'thread_id',
    })
    expect((await own(rule.id)).definition).toMatchObject({
      target: 'thread',
      quiet_seconds: 33,
      actions: [
        { kind: 'evaluate', evaluator_id: rule.evaluator_id },
        { kind: 'tag', tags: ['seen'] },
      ],
    })
    const evaluator = await app.call(savedEvaluators.read, {
      headers: acme.headers,
      params: { evaluator_id: rule.evaluator_id! },
    })
    expect(evaluator.body.version).toBe(2)
    const gone = await app.call(runRules.delete, { headers: acme.headers, params })
    expect([gone.status, gone.body]).toEqual([200, { message: 'Rule deleted' }])
    expect((await app.call(runRules.read, { headers: acme.headers, params })).status).toBe(404)
  })

  it('act on runs of the past, and say how far they are', async () => {
    const project = await aProject()
    const { post, times } = aTrace({ project: project.name })
    await send(post)
    const backfill_from = new Date(Date.parse(times[0]!) - 60_000).toISOString()
    const rule = await aRule({
      session_id: project.id,
      filter: 'eq(is_root, true)',
      backfill_from,
      code_evaluators: [{ code: 'function evaluate() { return { key: "late", score: 1 } }', language: 'javascript' }],
    })
    expect(rule).toMatchObject({ backfill_from, backfill_id: expect.any(String) })
    const status = async () => (await list({ id: [rule.id], include_backfill_progress: 'true' }))[0]
    await expect.poll(async () => (await status())?.backfill_status, { timeout: 30_000 }).toBe('done')
    expect(await status()).toMatchObject({ backfill_progress: 1, backfill_completed_at: expect.any(String) })
    // A run that was written at the moment of the creation may be live: it is acted on once, by either.
    const both = async () => [...(await logs(rule.id, { backfill: 'true' })), ...(await logs(rule.id))]
    await expect.poll(async () => (await both()).length, { timeout: 20_000 }).toBe(1)
  })

  it('are refused with a sentence where the server would act on more, or cannot act', async () => {
    const project = await aProject()
    const session_id = project.id
    const refusals: [object, string][] = [
      [{}, 'Give either a project'],
      [{ session_id, dataset_id: uuid7() }, 'Give either a project'],
      [{ session_id, group_by: 'trajectory_id' }, 'trajectory_id'],
      [{ session_id, thread_filter: 'eq(name, "x")' }, 'no filters on threads'],
      [{ session_id, evaluator_id: uuid7() }, 'Evaluator not found'],
      [
        { session_id, evaluators: [{ structured: { ...JUDGE, schema: { type: 'object', properties: {} } } }] },
        'No property',
      ],
      [{ session_id, evaluators: [{ structured: { ...JUDGE, prompt: [['human', '{{mystery}}']] } }] }, 'mystery'],
      [{ session_id, evaluators: [{ structured: { hub_ref: 'absent:latest' } }] }, 'has no prompt'],
    ]
    for (const [body, words] of refusals) {
      const answer = await create({ display_name: `rule ${uuid7()}`, sampling_rate: 1, ...body })
      expect([answer.status, answer.text], words).toEqual([422, expect.stringContaining(words)])
    }
    const [theirs, viewer] = [await aWorkspace(app, `theirs ${uuid7()}`), acme.readOnlyHeaders]
    const judge = { display_name: `j ${uuid7()}`, sampling_rate: 1, evaluators: [{ structured: JUDGE }] }
    const foreign = await app.call(projects.create, { headers: theirs.headers, body: { name: 'theirs' } })
    const without = await app.call(runRules.create, {
      headers: theirs.headers,
      body: { ...judge, session_id: foreign.body.id },
    })
    expect([without.status, without.text]).toEqual([
      422,
      expect.stringContaining('Add a model provider for \\"openai\\"'),
    ])
    expect((await app.call(runRules.create, { headers: viewer, body: { ...judge, session_id } })).status).toBe(403)
  })

  it('hide keys and headers from readers who may not change rules', async () => {
    const project = await aProject()
    const rule = await aRule({
      session_id: project.id,
      webhooks: [{ url: 'https://example.com', headers: { authorization: 'secret-header' } }],
      alerts: [{ routing_key: 'secret-routing' }],
    })
    const params = { rule_id: rule.id }
    const read = await app.call(runRules.read, { headers: acme.readOnlyHeaders, params })
    expect(read.body).toMatchObject({
      webhooks: [{ headers: { authorization: '***' } }],
      alerts: [{ routing_key: '***' }],
    })
    expect(read.text).not.toContain('secret-')
  })

  it('try a judge on given values without storing anything', async () => {
    const answer = await app.call(runRules.validate, {
      headers: acme.headers,
      body: { evaluators: [{ structured: JUDGE }], test_inputs: { q: 1 }, test_outputs: { answer: 'yes' } },
    })
    expect(answer.body).toMatchObject({ results: [{ key: 'grounded', score: 1 }], problem: null })
    expect(answer.body.rendered_prompt).toMatchObject([{ role: 'system' }, { role: 'user' }])
  })

  it('answer the questions of a decision model, each under its key', async () => {
    const project = await aProject()
    const reply = '<<<{"polite":{"value":true},"topic":{"value":"billing"},"depth":{"value":"good"}}>>>'
    const body = {
      display_name: `decide ${uuid7()}`,
      prompt: [['human', `{{output}} ${reply}`]],
      questions: {
        polite: { instructions: 'Is it polite?', type: 'noul', yes: 'kind', no: 'rude' },
        topic: { instructions: 'What is it about?', type: 'choice', options: { billing: 'money', other: null } },
        depth: { instructions: 'How deep?', type: 'score', levels: ['poor', 'fair', 'good'] },
      },
      model: 'fake-script',
      session_id: project.id,
      filter: 'eq(is_root, true)',
    }
    const strange = await app.call(runRules.createDecisionModel, {
      headers: acme.headers,
      body: { ...body, provider: 'typesafe' },
    })
    expect([strange.status, strange.text]).toEqual([
      422,
      expect.stringContaining('Add a model provider for \\"typesafe\\"'),
    ])
    const made = await app.call(runRules.createDecisionModel, { headers: acme.headers, body })
    expect(made.status, made.text).toBe(200)
    expect(made.body).toMatchObject({
      evaluator_type: 'decision_model',
      display_name: body.display_name,
      sampling_rate: 1,
    })
    const { root, post } = aTrace({ project: project.name })
    await send(post)
    await reach(made.body.id, 1)
    const scores = await app.call(feedback.list, { headers: acme.headers, query: { run: root } })
    expect(scores.body.map(({ key, score, value }) => [key, score, value]).sort()).toEqual([
      ['depth', 1, 'good'],
      ['polite', 1, null],
      ['topic', 0, 'billing'],
    ])
    const query = { type: 'decision_model' as const }
    const online = await app.call(evaluators.list, { headers: acme.headers, query })
    expect(online.body.evaluators).toMatchObject([{ id: made.body.evaluator_id, run_rules: [{ id: made.body.id }] }])
  })

  it('run a kept evaluator by its id, which is not deleted while they run it', async () => {
    const project = await aProject()
    const code = 'function performEval(run) { return { kept: run.outputs.answer === "yes" } }'
    const made = await app.call(evaluators.create, {
      headers: acme.headers,
      body: { name: `kept ${uuid7()}`, type: 'code', code_evaluator: { code, language: 'javascript' } },
    })
    const { id } = made.body.evaluator
    const rule = await aRule({ session_id: project.id, filter: 'eq(is_root, true)', evaluator_id: id })
    expect(rule).toMatchObject({ evaluator_id: id, evaluator_name: made.body.evaluator.name, evaluator_type: 'code' })
    const { root, post } = aTrace({ project: project.name })
    await send(post)
    await reach(rule.id, 1)
    const scores = await app.call(feedback.list, { headers: acme.headers, query: { run: root } })
    expect(scores.body).toMatchObject([{ key: 'kept', score: 1 }])
    const params = { evaluator_id: id }
    const changed = await app.call(evaluators.update, {
      headers: acme.headers,
      params,
      body: { code_evaluator: { code: code.replace('"yes"', '"no"') }, metadata: { team: 'x' } },
    })
    expect(changed.body.evaluator).toMatchObject({
      metadata: { team: 'x' },
      code_evaluator: { language: 'javascript' },
    })
    expect(changed.body.evaluator.code_evaluator!.code).toContain('"no"')
    const kept = await app.call(evaluators.delete, { headers: acme.headers, params })
    expect([kept.status, kept.text]).toEqual([409, expect.stringContaining(rule.display_name)])
    const gone = await app.call(evaluators.delete, {
      headers: acme.headers,
      params,
      query: { delete_run_rules: 'true' },
    })
    expect(gone.status).toBe(204)
    expect(await list({ id: [rule.id] })).toEqual([])
  })

  it('refuse spend both grouped and of one evaluator', async () => {
    const query = { period_start: '2026-11-16', group_by: 'evaluator' as const, evaluator_id: uuid7() }
    const answer = await app.call(evaluators.spend, { headers: acme.headers, query })
    expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(/group_by.*evaluator_id/)])
  })

  it('go on after a trigger, unless they are paused', async () => {
    const rule = await aRule({ session_id: (await aProject()).id, webhooks: [{ url: 'https://example.com' }] })
    const params = { rule_id: rule.id }
    expect((await app.call(runRules.trigger, { headers: acme.headers, params })).body.id).toBe(rule.id)
    const body = { rule_ids: [rule.id] }
    expect((await app.call(runRules.triggerMany, { headers: acme.headers, body })).status).toBe(200)
    await update(rule.id, { is_enabled: false })
    expect((await app.call(runRules.trigger, { headers: acme.headers, params })).status).toBe(409)
    expect(ground.providerId).toBeTruthy()
  })
})
