import { createHmac } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { aMailServer, type MailServer } from '../../testing/a-mail-server.ts'
import { aNotice } from '../../testing/a-notice.ts'
import { aReceiver, type Heard, type Receiver } from '../../testing/a-receiver.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { type Notice, sendNotice } from './index.ts'

const { notifications } = contract
const SOON = { timeout: 15_000 }
const DAY_MS = 86_400_000

describe.each(relationalEngines(import.meta.filename))('deliveries of notices on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let receiver: Receiver
  let mailServer: MailServer
  let aheadMs = 0
  beforeAll(async () => {
    relational = await open()
    mailServer = await aMailServer()
    app = await startApp({
      relational,
      clock: () => Date.now() + aheadMs,
      config: {
        outboundAllow: ['127.0.0.1'],
        smtpUrl: `smtp://127.0.0.1:${mailServer.port}`,
        mailFrom: 'Touchstone <alerts@touchstone.example>',
      },
    })
    acme = await aWorkspace(app, 'acme')
  })
  beforeEach(async () => {
    aheadMs = 0
    receiver = await aReceiver()
  })
  afterEach(async () => {
    await receiver.close()
    await relational.db.execute(sql`delete from notification_channels`)
  })
  afterAll(async () => {
    await app.close()
    await mailServer.close()
    await relational.close()
  })

  let named = 0
  async function create(config: object) {
    const body = { name: `channel ${++named}`, config }
    const made = await app.call(notifications.create, { body, headers: acme.headers })
    expect(made.status).toBe(201)
    return made.body
  }
  const read = async (channel_id: string) =>
    (await app.call(notifications.read, { params: { channel_id }, headers: acme.headers })).body
  const update = (channel_id: string, body: object) =>
    app.call(notifications.update, { params: { channel_id }, body, headers: acme.headers })
  const test = async (channel_id: string) =>
    (await app.call(notifications.test, { params: { channel_id }, headers: acme.headers })).body
  const redeliver = (delivery_id: string) =>
    app.call(notifications.redeliver, { params: { delivery_id }, headers: acme.headers })
  const find = async (channel_id: string, id: string) => {
    const { body } = await app.call(notifications.listDeliveries, { params: { channel_id }, headers: acme.headers })
    return body.deliveries.find((delivery) => delivery.id === id)
  }

  /** Stores a notice without its job, and has it delivered by the server's. */
  let sent = 0
  async function deliver(channelId: string, notice: Partial<Notice> = {}): Promise<string> {
    const noticeDeliveries = { send: async () => '', begin() {} }
    const deps = { clock: app.deps.clock, ids: app.deps.ids, noticeDeliveries }
    const made = aNotice({ key: `key ${++sent}`, ...notice })
    const [id = ''] = await relational.transaction((tx) => sendNotice(deps, tx, acme.tenantId, [channelId], made))
    return (await redeliver(id)).body.id
  }
  const settles = (channelId: string, id: string) =>
    expect.poll(async () => (await find(channelId, id))?.status, SOON).not.toBe('pending')
  const tries = (channelId: string, id: string, attempts: number) =>
    expect.poll(async () => (await find(channelId, id))?.attempts, SOON).toBe(attempts)

  /** Brings the next tries forward, and wakes the worker by a delivery through another channel. */
  async function hasten(): Promise<void> {
    await relational.db.execute(sql`update pgboss.job set start_after = now() where name = 'notification-delivery'`)
    await deliver((await create({ kind: 'email', to: ['wake@touchstone.example'] })).id)
  }

  const isSigned = ({ headers, body }: Heard, secret: string) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  }

  it('sign webhooks, and repeat a try with the same id until one succeeds', async () => {
    const channel = await create({
      kind: 'webhook',
      url: `${receiver.url}/hook`,
      headers: { authorization: 'Bearer x' },
    })
    receiver.status = 500
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    expect(await find(channel.id, id)).toMatchObject({
      status: 'pending',
      response_status: 500,
      response_text: 'heard 1',
      error: 'The receiver answered 500.',
      next_at: expect.any(String),
    })
    expect((await read(channel.id)).failing_since).not.toBe(null)
    await hasten()
    await tries(channel.id, id, 2)
    await hasten()
    await tries(channel.id, id, 3)
    receiver.status = 200
    await hasten()
    await settles(channel.id, id)
    expect(await find(channel.id, id)).toMatchObject({ status: 'delivered', attempts: 4, error: null, next_at: null })
    expect(receiver.heard.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id, id])
    expect(receiver.heard.every((heard) => isSigned(heard, channel.signing_secret ?? ''))).toBe(true)
    expect(receiver.heard[0]?.headers.authorization).toBe('Bearer x')
    expect(JSON.parse(receiver.heard[0]?.body ?? '')).toMatchObject({
      type: 'alert.triggered',
      title: 'Error rate is 12 %',
      alert_rule_name: 'Errors',
      triggered_metric_value: 0.12,
    })
    expect(await read(channel.id)).toMatchObject({ failing_since: null, last_success_at: expect.any(String) })
  })

  it.each([
    ['as it is', '{"text":"{{alert_rule_name}}","n":1}', { text: '{{alert_rule_name}}', n: 1 }],
    [
      'with variables',
      '{"$template":true,"text":"{{alert_rule_name}} at {{ triggered_metric_value }}: {{title}}, {{none}}","n":["{{triggered_metric_value}}"]}',
      { text: 'Errors "x" at 0.12: Error rate is 12 %, {{none}}', n: [0.12] },
    ],
  ])('send the body of a webhook %s', async (_name, body, expected) => {
    const channel = await create({ kind: 'webhook', url: receiver.url, body })
    const members = { alert_rule_name: 'Errors "x"', triggered_metric_value: 0.12 }
    const id = await deliver(channel.id, { body: members })
    await settles(channel.id, id)
    expect(JSON.parse(receiver.heard[0]?.body ?? '')).toEqual({ ...expected, ...members })
  })

  it.each([
    [404, 'failed', 'active'],
    [410, 'failed', 'disabled'],
    [429, 'pending', 'active'],
    [408, 'pending', 'active'],
  ])('take the status %i for %s, and leave the channel %s', async (status, outcome, state) => {
    const channel = await create({ kind: 'webhook', url: receiver.url })
    receiver.status = status
    receiver.headers = { 'retry-after': '120' }
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    const delivery = await find(channel.id, id)
    expect(delivery).toMatchObject({ status: outcome, response_status: status })
    expect((await read(channel.id)).state).toBe(state)
    if (outcome !== 'pending') return
    expect(Date.parse(delivery?.next_at ?? '') - Date.parse(delivery?.attempted_at ?? '')).toBe(120_000)
  })

  it('fail through a disabled channel, and are not repeated through it', async () => {
    const channel = await create({ kind: 'webhook', url: receiver.url })
    receiver.status = 500
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    await update(channel.id, { is_enabled: false })
    await hasten()
    await settles(channel.id, id)
    expect(await find(channel.id, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('is disabled'),
    })
    expect((await redeliver(id)).status).toBe(409)
    receiver.status = 200
    expect((await test(channel.id)).status).toBe('delivered')
    expect((await read(channel.id)).state).toBe('disabled')
  })

  it('turn a channel off that has failed for three days', async () => {
    const channel = await create({ kind: 'webhook', url: receiver.url })
    receiver.status = 500
    await test(channel.id)
    aheadMs = 2 * DAY_MS
    await test(channel.id)
    expect((await read(channel.id)).state).toBe('active')
    aheadMs = 3 * DAY_MS + 1000
    await test(channel.id)
    expect(await read(channel.id)).toMatchObject({
      state: 'disabled',
      state_reason: expect.stringContaining('No delivery succeeded for 3 days'),
    })
  })

  it('are tried for a day at most', async () => {
    const channel = await create({ kind: 'webhook', url: receiver.url })
    receiver.status = 503
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    aheadMs = DAY_MS + 1000
    await hasten()
    await settles(channel.id, id)
    expect(await find(channel.id, id)).toMatchObject({ status: 'failed', attempts: 2 })
  })

  it('give a receiver up that does not answer, and send to others meanwhile', async () => {
    const hanging = await create({ kind: 'webhook', url: receiver.url })
    receiver.body = false
    const stuck = await Promise.all(Array.from({ length: 20 }, () => deliver(hanging.id)))
    const mail = await create({ kind: 'email', to: ['others@touchstone.example'] })
    const id = await deliver(mail.id)
    await settles(mail.id, id)
    expect((await find(mail.id, id))?.status).toBe('delivered')
    const open = await Promise.all(stuck.map((one) => find(hanging.id, one)))
    expect(open.filter((one) => one?.attempts === 0).length).toBeGreaterThan(0)
    await expect
      .poll(async () => (await read(hanging.id)).last_failure, { timeout: 30_000 })
      .toBe('No answer within 10 s.')
  }, 60_000)

  it('escape what comes from traces for Slack', async () => {
    const channel = await create({ kind: 'slack', url: `${receiver.url}/services/T0/B0/secretsecret` })
    receiver.body = 'ok'
    const text = 'Ask <!channel> & <https://evil.example|here>'
    const id = await deliver(channel.id, { title: text, text, facts: [{ label: '<b>', value: text }] })
    await settles(channel.id, id)
    const body = receiver.heard[0]?.body ?? ''
    expect(JSON.parse(body).text).toBe('Critical: Ask &lt;!channel&gt; &amp; &lt;https://evil.example|here&gt;')
    expect(body).not.toContain('<!')
    expect(body).not.toContain('<https://evil')
    expect(body).toContain('<https://touchstone.example/runs?a=1&amp;b=2|View runs>')
  })

  it.each([
    [200, '{"ok":true}', 'delivered', 'active'],
    [200, '{"ok":false,"error":"channel_not_found"}', 'failed', 'active'],
    [200, '{"ok":false,"error":"is_archived"}', 'failed', 'disabled'],
    [200, '{"ok":false,"error":"ratelimited"}', 'pending', 'active'],
    [200, 'a login page', 'failed', 'active'],
  ])('read status %i and %s of a Slack bot', async (status, body, outcome, state) => {
    const token = 'xoxb-secret-token'
    const channel = await create({ kind: 'slack_bot', token, channel: '#ops', endpoint: `${receiver.url}/api` })
    receiver.status = status
    receiver.body = body
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    expect((await find(channel.id, id))?.status).toBe(outcome)
    expect((await read(channel.id)).state).toBe(state)
    expect(receiver.heard[0]).toMatchObject({
      path: '/api/chat.postMessage',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(JSON.parse(receiver.heard[0]?.body ?? '')).toMatchObject({ channel: '#ops' })
  })

  it('trigger and resolve an incident of PagerDuty with one key', async () => {
    const endpoint = `${receiver.url}/v2/enqueue`
    const channel = await create({ kind: 'pagerduty', routing_key: 'R0UT1NG', endpoint })
    receiver.status = 202
    await settles(channel.id, await deliver(channel.id))
    await settles(channel.id, await deliver(channel.id, { isResolved: true }))
    const events = receiver.heard.map(({ body }) => JSON.parse(body))
    expect(events).toMatchObject([
      { event_action: 'trigger', payload: { severity: 'critical', summary: 'Critical: Error rate is 12 %' } },
      { event_action: 'resolve' },
    ])
    expect(events.map(({ dedup_key }) => dedup_key)).toEqual(['touchstone:alert:aa:1', 'touchstone:alert:aa:1'])
    expect(events.map(({ routing_key }) => routing_key)).toEqual(['R0UT1NG', 'R0UT1NG'])
  })

  it('post a card to Teams whose texts are no Markdown', async () => {
    const channel = await create({ kind: 'teams', url: `${receiver.url}/workflows/secret` })
    receiver.status = 202
    const id = await deliver(channel.id, { text: '[a](https://evil.example)'.repeat(2000) })
    await settles(channel.id, id)
    const body = receiver.heard[0]?.body ?? ''
    expect(Buffer.byteLength(body)).toBeLessThan(28_000)
    const { body: blocks, actions } = JSON.parse(body).attachments[0].content
    expect(blocks.map(({ type }: { type: string }) => type)).toEqual([
      'RichTextBlock',
      'RichTextBlock',
      'RichTextBlock',
    ])
    expect(actions).toMatchObject([{ type: 'Action.OpenUrl', title: 'View runs' }])
  })

  it('send a mail whose headers cannot be added to', async () => {
    const channel = await create({ kind: 'email', to: ['ann@acme.example', 'bob@acme.example'] })
    const id = await deliver(channel.id, { title: 'Late\r\nBcc: eve@evil.example' })
    await settles(channel.id, id)
    const mail = mailServer.mails.find(({ data }) => data.includes(id))
    expect(mail?.to).toEqual(['RCPT TO:<ann@acme.example>', 'RCPT TO:<bob@acme.example>'])
    expect(mail?.from).toBe('MAIL FROM:<alerts@touchstone.example>')
    expect(mail?.data).toContain('Subject: Critical: Late Bcc: eve@evil.example')
    expect(mail?.data).not.toMatch(/^Bcc:/m)
    expect(mail?.data).toContain('It was above 5 % for 10 minutes.')
  })

  it.each([
    ['550 5.7.1 refused', 'failed'],
    ['451 4.3.0 later', 'pending'],
  ])('take %s of a mail server for %s', async (answer, outcome) => {
    const channel = await create({ kind: 'email', to: ['ann@acme.example'] })
    mailServer.answer = answer
    const id = await deliver(channel.id)
    await tries(channel.id, id, 1)
    mailServer.answer = '250 fine'
    expect(await find(channel.id, id)).toMatchObject({ status: outcome, response_status: Number(answer.slice(0, 3)) })
  })

  it('answer a test with what the receiver said, without secrets', async () => {
    const channel = await create({ kind: 'webhook', url: receiver.url, headers: { authorization: 'Bearer secret' } })
    receiver.status = 401
    receiver.body = 'You sent Bearer secret'
    expect(await test(channel.id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      response_status: 401,
      response_text: 'You sent ********',
      next_at: null,
    })
  })
})
