import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aReceiver, type Receiver } from '../../testing/a-receiver.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { alerts, platformAlerts, projects, notifications } = contract

describe("LangSmith's routes of alerts", () => {
  let app: StartedApp
  let acme: AWorkspace
  let receiver: Receiver
  let project: string
  beforeAll(async () => {
    receiver = await aReceiver()
    app = await startApp({ config: { outboundAllow: ['127.0.0.1'] } })
    acme = await aWorkspace(app, 'acme')
    const made = await app.call(projects.create, { headers: acme.headers, body: { name: `p ${uuid7()}` } })
    project = made.body.id
  })
  afterAll(async () => {
    await app.close()
    await receiver.close()
  })

  const aRule = (more: object = {}) => ({
    name: `rule ${uuid7()}`,
    description: 'A user has to look.',
    type: 'threshold',
    attribute: 'error_count',
    aggregation: 'pct',
    operator: 'gte',
    window_minutes: 15,
    threshold: 0.1,
    ...more,
  })
  const webhook = () => ({
    target: 'webhook',
    config: { url: `${receiver.url}/alert`, headers: { authorization: 'Bearer secret-token' }, body: '{"team":"ops"}' },
  })
  const params = () => ({ session_id: project })
  const create = (body: object) => app.call(platformAlerts.create, { headers: acme.headers, params: params(), body })

  it('read a rule back as it was written, with its secrets hidden', async () => {
    const rule = aRule()
    const made = await create({ rule, actions: [webhook()] })
    expect(made.status, made.text).toBe(201)
    expect(made.body.rule).toMatchObject({ ...rule, session_id: project })
    expect(made.text).not.toContain('secret-token')
    const key = { ...params(), alert_rule_id: made.body.rule.id }
    const read = await app.call(platformAlerts.read, { headers: acme.headers, params: key })
    expect(read.body).toEqual(made.body)
    expect(read.body.actions).toMatchObject([
      { target: 'webhook', config: { url: `${receiver.url}/alert`, headers: { authorization: '********' } } },
    ])
    const ours = await app.call(alerts.read, { headers: acme.headers, params: { alert_id: made.body.rule.id } })
    expect(ours.body).toMatchObject({
      has_actions: true,
      definition: { metric: 'error_rate', scope: 'runs', operator: 'gte', critical: 0.1, window_minutes: 15 },
    })
    const list = await app.call(platformAlerts.list, { headers: acme.headers, params: params() })
    expect(list.body).toContainEqual(made.body)
  })

  it('replace a rule and keep the secret of an action that is sent back', async () => {
    const made = await create({ rule: aRule(), actions: [webhook()] })
    const key = { ...params(), alert_rule_id: made.body.rule.id }
    const rule = aRule({ threshold: 0.2 })
    const changed = await app.call(platformAlerts.update, {
      headers: acme.headers,
      params: key,
      body: { rule, actions: made.body.actions },
    })
    expect(changed.status, changed.text).toBe(200)
    const test = await app.call(platformAlerts.test, {
      headers: acme.headers,
      params: params(),
      body: { rule: { ...rule, id: made.body.rule.id }, actions: made.body.actions },
    })
    expect(test.status, test.text).toBe(200)
    const heard = () => receiver.heard.find(({ body }) => body.includes(rule.name))
    await expect.poll(heard, { timeout: 30_000 }).toBeDefined()
    expect(heard()?.headers.authorization).toBe('Bearer secret-token')
    expect(JSON.parse(heard()?.body ?? '')).toMatchObject({
      team: 'ops',
      alert_rule_name: rule.name,
      alert_rule_attribute: 'error_count',
      triggered_threshold: null,
    })
    const deleted = await app.call(platformAlerts.delete, { headers: acme.headers, params: key })
    expect(deleted.body).toEqual({ message: 'Alert rule deleted' })
    const gone = await app.call(platformAlerts.read, { headers: acme.headers, params: key })
    expect(gone.status).toBe(404)
    expect(JSON.parse(gone.text)).toMatchObject({ error: 'Alert rule not found' })
  })

  it('test actions that are not saved', async () => {
    const rule = aRule()
    const body = { rule, actions: [webhook()] }
    const sent = await app.call(platformAlerts.test, { headers: acme.headers, params: params(), body })
    expect(sent.status, sent.text).toBe(200)
    expect(receiver.heard.some((request) => request.body.includes(rule.name))).toBe(true)
    const channels = await app.call(notifications.list, { headers: acme.headers })
    expect(channels.body.channels.some(({ name }) => name === 'test')).toBe(false)
    receiver.status = 500
    const refused = await app.call(platformAlerts.test, { headers: acme.headers, params: params(), body })
    receiver.status = 200
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({ error: expect.stringContaining('actions.0') })
  })

  it('refuse windows of more than an hour and what cannot be measured', async () => {
    for (const [wrong, message] of [
      [{ window_minutes: 61 }, 'window_minutes'],
      [{ attribute: 'latency', aggregation: 'pct' }, 'rule.aggregation'],
      [{ attribute: 'feedback_score', aggregation: 'avg' }, 'rule.filter'],
      [{ threshold: null }, 'rule.threshold'],
      [{ filter: 'eq(' }, 'filter'],
    ] as const) {
      const answer = await create({ rule: aRule(wrong), actions: [] })
      expect(answer.status, answer.text).toBe(400)
      expect(JSON.parse(answer.text).error).toEqual(expect.any(String))
      expect(answer.text).toContain(message)
    }
    const action = { target: 'dynatrace', config: {} }
    const answer = await create({ rule: aRule(), actions: [action] })
    expect(JSON.parse(answer.text).error).toContain('dynatrace is not supported')
  })

  it('find the key of feedback in the filter', async () => {
    const rule = aRule({
      attribute: 'feedback_score',
      aggregation: 'avg',
      operator: 'lt',
      filter: 'and(eq(is_root, true), eq(feedback_key, "correctness"))',
    })
    const made = await create({ rule, actions: [] })
    const ours = await app.call(alerts.read, { headers: acme.headers, params: { alert_id: made.body.rule.id } })
    expect(ours.body.definition).toMatchObject({ metric: 'feedback', feedback_key: 'correctness', operator: 'lt' })
  })
})
