import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aTrace, stamp } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { openRuleBook, type RuleBook } from '../../testing/rule-book.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { rules, feedback, datasets, examples } = contract

describe.each(relationalEngines(import.meta.filename))('targets of rules on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let book: RuleBook
  /** Milliseconds that the clock of the server is ahead. */
  let ahead = 0
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational, clock: () => Date.now() + ahead })
    acme = await aWorkspace(app, 'acme')
    book = openRuleBook(() => app, acme)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  /** Lets time pass on the clock of the server until a rule has acted so often. */
  const pass = (rule_id: string, count: number) =>
    expect
      .poll(
        async () => {
          ahead += 10_000
          return (await book.decisions(rule_id, { state: 'done' })).length
        },
        { timeout: 30_000 },
      )
      .toBe(count)

  const GIVE = { kind: 'feedback', key: 'seen', score: 1 }

  it('a trace is judged when it is quiet, with its last span, and again after a late one', async () => {
    const project = await book.aProject()
    const counts = await book.program(
      'function evaluate({ steps }) { return { key: "steps", score: steps.length, comment: steps.at(-1).name } }',
    )
    const rule = await book.aRule({
      target: 'trace',
      project_ids: [project.id],
      filter: 'eq(name, "answer")',
      quiet_seconds: 60,
      actions: [{ kind: 'evaluate', evaluator_id: counts }],
    })
    const { root, llm, post, times } = aTrace({ project: project.name })
    await book.send([post[0]!])
    await book.reach(rule.id, 'waiting', 1)
    const waiting = await book.explain(llm, rule.id).catch(() => undefined)
    expect(waiting).toBeUndefined()
    expect((await book.explain(root, rule.id)).summary).toMatch(
      /^Waiting: the rule acts when nothing of the trace changes/,
    )
    await book.send([post[1]!])
    await pass(rule.id, 1)
    expect(await book.scores(root)).toMatchObject([{ key: 'steps', score: 2, comment: 'call' }])
    // Any run of the trace tells of the decision about it.
    expect((await book.explain(llm, rule.id)).decision).toMatchObject({ state: 'done', run_id: root, target: 'trace' })
    const late = uuid7()
    await book.send([
      {
        ...post[1]!,
        id: late,
        name: 'late',
        dotted_order: `${post[0]!.dotted_order}.${stamp(times[2]!)}${late}`,
        start_time: times[2],
        end_time: times[3],
      },
    ])
    await pass(rule.id, 2)
    expect(await book.scores(root)).toMatchObject([{ key: 'steps', score: 3, comment: 'late' }])
    expect((await book.decisions(rule.id)).map(({ lag_ms }) => lag_ms !== null)).toEqual([true, true])
  })

  it('a thread is judged when it is idle, with all its turns, and again after the next turn', async () => {
    const project = await book.aProject()
    const counts = await book.program('function evaluate({ turns }) { return { key: "turns", score: turns.length } }')
    const rule = await book.aRule({
      target: 'thread',
      project_ids: [project.id],
      idle_minutes: 1,
      actions: [{ kind: 'evaluate', evaluator_id: counts }],
    })
    const thread = `t ${uuid7()}`
    const turns = [30_000, 20_000, 10_000].map((ageMs) => aTrace({ project: project.name, thread, ageMs }))
    await book.send([...turns[0]!.post, ...turns[1]!.post])
    await book.reach(rule.id, 'waiting', 1)
    expect(await book.decisions(rule.id, { state: 'waiting' })).toMatchObject([
      { target: 'thread', thread_id: thread, run_id: turns[1]!.root },
    ])
    await pass(rule.id, 1)
    expect(await book.scores(turns[1]!.root)).toMatchObject([{ key: 'turns', score: 2 }])
    await book.send(turns[2]!.post)
    await pass(rule.id, 2)
    expect(await book.scores(turns[2]!.root)).toMatchObject([{ key: 'turns', score: 3 }])
    expect((await book.explain(turns[0]!.llm, rule.id)).clauses.map(({ of, holds }) => [of, holds])).toEqual([
      ['project', true],
      ['end', true],
      ['thread', true],
    ])
  })

  it('feedback of people sets off a rule, and feedback of rules sets off none', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({
      target: 'feedback',
      project_ids: [project.id],
      feedback: { key: 'thumbs', operator: 'lt', score: 0.5 },
      actions: [{ ...GIVE, key: 'bad' }],
    })
    const chained = await book.aRule({
      target: 'feedback',
      project_ids: [project.id],
      feedback: { key: 'bad' },
      actions: [GIVE],
    })
    const [bad, good] = [aTrace({ project: project.name }), aTrace({ project: project.name })]
    await book.send([...bad.post, ...good.post])
    const give = async (run_id: string, score: number) => {
      const body = { run_id, trace_id: run_id, key: 'thumbs', score }
      expect((await app.call(feedback.create, { headers: acme.headers, body })).status).toBe(200)
    }
    await give(good.root, 1)
    await give(bad.root, 0)
    await book.reach(rule.id, 'done', 1)
    expect((await book.scores(bad.root)).map(({ key }) => key).sort()).toEqual(['bad', 'thumbs'])
    expect((await book.scores(good.root)).map(({ key }) => key)).toEqual(['thumbs'])
    const params = { rule_id: rule.id }
    const counted = (await app.call(rules.funnel, { headers: acme.headers, params, query: {} })).body
    expect(counted).toMatchObject({ seen: 4, matched: 1, done: 1 })
    const why = await book.explain(good.root, rule.id)
    expect(why.summary).toBe('It does not match: The run has feedback "thumbs" with a score < 0.5, which no rule gave.')
    // It has looked since the feedback of the first rule was written.
    await give(good.root, 0)
    await book.reach(rule.id, 'done', 2)
    expect(await book.decisions(chained.id)).toEqual([])
  })

  it('a dataset stands for its experiments, also for those to come, and none of their runs is sampled out', async () => {
    const { headers } = acme
    const dataset = (await app.call(datasets.create, { headers, body: { name: `d ${uuid7()}` } })).body
    const example = { dataset_id: dataset.id, inputs: { question: 'q' }, outputs: { answer: 'yes' } }
    const made = await app.call(examples.create, { headers, body: example })
    const agrees = await book.program(
      'function evaluate({ outputs, reference_outputs }) { return { key: "agrees", score: outputs.answer === reference_outputs.answer } }',
    )
    const rule = await book.aRule({
      dataset_id: dataset.id,
      filter: 'eq(is_root, true)',
      sampling_rate: 0.001,
      actions: [{ kind: 'evaluate', evaluator_id: agrees }],
    })
    const name = `experiment ${uuid7()}`
    const body = { name, reference_dataset_id: dataset.id }
    expect((await app.call(contract.projects.create, { headers, body })).status).toBe(200)
    const { root, post } = aTrace({ project: name })
    await book.send([{ ...post[0]!, reference_example_id: made.body.id }, post[1]!])
    await book.reach(rule.id, 'done', 1)
    expect(await book.scores(root)).toMatchObject([{ key: 'agrees', score: 1 }])
    const listed = await app.call(rules.list, { headers, query: { dataset_id: dataset.id } })
    expect(listed.body.rules.map(({ id }) => id)).toEqual([rule.id])
  })

  it('a rule waits for the rules before it, and rules cannot wait for each other', async () => {
    const project = await book.aProject()
    const base = { project_ids: [project.id], filter: 'eq(is_root, true)' }
    const first = await book.aRule({ ...base, actions: [{ kind: 'tag', tags: ['prod', 'judged'] }] })
    const order = { after_rule_ids: [first.id] }
    const tags = await book.program('function evaluate({ run }) { return { key: "tags", value: run.tags.join(" ") } }')
    const second = await book.aRule({ ...base, ...order, actions: [{ kind: 'evaluate', evaluator_id: tags }] })
    const { root, post } = aTrace({ project: project.name })
    await book.send(post)
    await book.reach(second.id, 'done', 1)
    expect(await book.scores(root)).toMatchObject([{ key: 'tags', value: 'prod judged' }])
    // Acting again does not wait for a look of the first rule.
    const [before] = await book.decisions(second.id)
    const again = { headers: acme.headers, params: { rule_id: second.id }, body: { run_ids: [root] } }
    expect((await app.call(rules.redo, again)).body).toEqual({ redone: 1 })
    const isNewer = async () =>
      (await book.decisions(second.id, { state: 'done' }))[0]?.decided_at !== before!.decided_at
    await expect.poll(isNewer, { timeout: 30_000 }).toBe(true)
    await book.reach(second.id, 'done', 1)
    const circle = await book.update(first.id, { definition: { ...first.definition, after_rule_ids: [second.id] } })
    expect([circle.status, circle.text]).toEqual([400, expect.stringContaining('would wait for each other')])
    expect((await book.update(first.id, { definition: first.definition })).body.version).toBe(1)
  })

  it('a look goes on beyond any number of writes that do not match', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({
      target: 'trace',
      project_ids: [project.id],
      filter: 'eq(name, "wanted")',
      quiet_seconds: 0,
      actions: [GIVE],
    })
    const others = Array.from({ length: 1_500 }, () => aTrace({ project: project.name }).post[0]!)
    const wanted = aTrace({ project: project.name })
    await book.send([...others, { ...wanted.post[0]!, name: 'wanted' }])
    await book.reach(rule.id, 'done', 1)
    expect(await book.scores(wanted.root)).toMatchObject([{ key: 'seen' }])
  })

  it('a definition names what its target needs', async () => {
    const project = await book.aProject()
    const base = { project_ids: [project.id], actions: [GIVE] }
    for (const [wrong, words] of [
      [{ project_ids: [] }, 'Give a project or a dataset'],
      [{ dataset_id: uuid7() }, 'Give either projects or a dataset'],
      [{ project_ids: [], dataset_id: uuid7() }, 'Dataset not found'],
      [{ target: 'feedback' }, 'Give the key of the feedback'],
      [{ feedback: { key: 'k' } }, 'Only rules of the target'],
      [{ target: 'feedback', feedback: { key: 'k', score: 1 } }, 'Give an operator with a score'],
      [{ after_rule_ids: [uuid7()] }, 'Rule not found'],
    ] as const) {
      const body = { name: `r ${uuid7()}`, definition: { ...base, ...wrong } }
      const refused = await app.call(rules.create, { headers: acme.headers, body })
      expect([refused.status, refused.text], words).toEqual([expect.any(Number), expect.stringContaining(words)])
      expect(refused.status).toBeGreaterThanOrEqual(400)
    }
  })
})
