import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aReceiver, type Receiver } from '../../testing/a-receiver.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { openRuleBook, type RuleBook } from '../../testing/rule-book.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { notifications, datasets, rules } = contract

describe.each(relationalEngines(import.meta.filename))('notices of rules on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let book: RuleBook
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await aReceiver()
    relational = await open()
    app = await startApp({ relational, config: { outboundAllow: ['127.0.0.1'] } })
    acme = await aWorkspace(app, 'acme')
    book = openRuleBook(() => app, acme)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await receiver.close()
  })

  async function aChannel(): Promise<string> {
    const config = { kind: 'webhook', url: `${receiver.url}/${uuid7()}` }
    const body = { name: `c ${uuid7()}`, config }
    const made = await app.call(notifications.create, { headers: acme.headers, body })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  /** A number that JavaScript would round. */
  const LONG = '12345678901234567891'
  /** Bodies of the notices that mention a rule, in their order. */
  const heardOf = (ruleId: string) =>
    receiver.heard.map(({ body }) => JSON.parse(body)).filter(({ rule_id }) => rule_id === ruleId)

  it('send each matching run once, as rules of LangSmith send it', async () => {
    const project = await book.aProject()
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [
        { kind: 'feedback', key: 'seen', score: 1 },
        { kind: 'notify', channel_ids: [await aChannel(), await aChannel()] },
      ],
    })
    const { root, post } = aTrace({ project: project.name })
    const [first, ...others] = post
    const text = JSON.stringify({ post: [{ ...first, outputs: { answer: 'yes', id: 1 } }, ...others] })
    const headers = { 'content-type': 'application/json', ...acme.headers }
    const sent = await app.fetch('/runs/batch', {
      method: 'POST',
      headers,
      body: text.replace('"id":1}', `"id":${LONG}}`),
    })
    expect(sent.status).toBe(202)
    await expect.poll(() => heardOf(rule.id).length, { timeout: 30_000 }).toBe(2)
    expect(receiver.heard.at(-1)!.body).toContain(`"id":${LONG}`)
    const [body] = heardOf(rule.id)
    expect(body).toMatchObject({
      runs: [{ id: root, name: 'answer', inputs: { question: `of ${root}` }, outputs: { answer: 'yes' } }],
      feedback_stats: { seen: { n: 1, avg: 1 } },
      start_time: expect.any(String),
      end_time: expect.any(String),
    })
    await book.reach(rule.id, 'done', 1)
  })

  it('tell once that a rule is blocked, and that it was resumed', async () => {
    const project = await book.aProject()
    const { headers } = acme
    const dataset = (await app.call(datasets.create, { headers, body: { name: `d ${uuid7()}` } })).body
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'add_to_dataset', dataset_id: dataset.id }],
      notice_channel_ids: [await aChannel()],
    })
    await app.call(datasets.delete, { headers, params: { dataset_id: dataset.id } })
    await book.send([...aTrace({ project: project.name }).post, ...aTrace({ project: project.name }).post])
    await expect.poll(() => heardOf(rule.id).map(({ state }) => state), { timeout: 30_000 }).toEqual(['blocked'])
    expect(heardOf(rule.id)[0]).toMatchObject({ reason: 'target_missing', rule_name: rule.name })
    await book.update(rule.id, { is_enabled: true })
    // It is blocked again for the same reason on the same day.
    await expect
      .poll(() => heardOf(rule.id).map(({ state }) => state), { timeout: 30_000 })
      .toEqual(['blocked', 'resumed'])
    await expect
      .poll(async () => (await book.read(rule.id)).blocked?.reason, { timeout: 30_000 })
      .toBe('target_missing')
  })

  it('block a rule whose channel was deleted, and name one that is turned off', async () => {
    const project = await book.aProject()
    const [one, other] = [await aChannel(), await aChannel()]
    const set = (channel_id: string, body: object) =>
      app.call(notifications.update, { headers: acme.headers, params: { channel_id }, body })
    expect((await set(other, { is_enabled: false })).status).toBe(200)
    const rule = await book.aRule({
      project_ids: [project.id],
      filter: 'eq(is_root, true)',
      actions: [{ kind: 'notify', channel_ids: [one, other] }],
    })
    await book.send(aTrace({ project: project.name }).post)
    await book.reach(rule.id, 'done', 1)
    expect((await book.decisions(rule.id))[0]!.outcomes).toMatchObject([
      { detail: expect.stringMatching(/^1 channel\. The channel is disabled/) },
    ])
    const params = { channel_id: one }
    expect((await app.call(notifications.delete, { headers: acme.headers, params })).status).toBeLessThan(300)
    await book.send(aTrace({ project: project.name }).post)
    await expect
      .poll(async () => (await book.read(rule.id)).blocked?.reason, { timeout: 30_000 })
      .toBe('target_missing')
  })

  it('need channels that exist', async () => {
    const project = await book.aProject()
    const base = { project_ids: [project.id], actions: [{ kind: 'feedback', key: 'seen', score: 1 }] }
    for (const wrong of [
      { notice_channel_ids: [uuid7()] },
      { actions: [{ kind: 'notify', channel_ids: [uuid7()] }] },
    ]) {
      const body = { name: `r ${uuid7()}`, definition: { ...base, ...wrong } }
      const refused = await app.call(rules.create, { headers: acme.headers, body })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Channel not found')])
    }
  })
})
