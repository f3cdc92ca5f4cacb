import { contract, MAX_NOTIFICATION_CHANNELS } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { ANY_ROW } from '../../storage/rows.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { notifications } = contract
const SLACK = 'https://hooks.slack.com/services/T000/B000/abcdefghijklmnopqrstWXYZ'
const HEADER = 'Bearer header-secret-value'
const TOKEN = 'xoxb-token-secret-value'

describe.each(relationalEngines(import.meta.filename))('notification channels on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterEach(async () => {
    await relational.db.execute(sql`delete from notification_channels`)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const list = (headers = acme.headers) => app.call(notifications.list, { headers })
  const create = (body: object, headers = acme.headers) => app.call(notifications.create, { body, headers })
  const read = (channel_id: string, headers = acme.headers) =>
    app.call(notifications.read, { params: { channel_id }, headers })
  const update = (channel_id: string, body: object, headers = acme.headers) =>
    app.call(notifications.update, { params: { channel_id }, body, headers })
  const remove = (channel_id: string, headers = acme.headers) =>
    app.call(notifications.delete, { params: { channel_id }, headers })

  const webhook = (more: object = {}) => ({
    name: 'Ops',
    config: { kind: 'webhook', url: 'https://hooks.example/a', headers: { authorization: HEADER }, ...more },
  })

  it('are created, listed by name, changed and deleted', async () => {
    const made = await create(webhook())
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'Ops', kind: 'webhook', state: 'active', failing_since: null })
    await create({ name: 'a chat', config: { kind: 'slack', url: SLACK } })
    expect((await list()).body.channels.map(({ name }) => name)).toEqual(['a chat', 'Ops'])
    const off = await update(made.body.id, { name: 'On call', is_enabled: false })
    expect(off.body).toMatchObject({ name: 'On call', state: 'disabled' })
    expect(off.body.state_reason).toContain('Turned off')
    expect((await update(made.body.id, { is_enabled: true })).body).toMatchObject({
      state: 'active',
      state_reason: null,
    })
    expect((await remove(made.body.id)).status).toBe(204)
    expect((await read(made.body.id)).status).toBe(404)
  })

  it('never answer or store a secret in the clear', async () => {
    const made = [
      await create(webhook()),
      await create({ name: 'Slack', config: { kind: 'slack', url: SLACK } }),
      await create({ name: 'Bot', config: { kind: 'slack_bot', token: TOKEN, channel: '#ops' } }),
      await create({ name: 'Teams', config: { kind: 'teams', url: `${SLACK}?sig=1` } }),
      await create({ name: 'Pager', config: { kind: 'pagerduty', routing_key: TOKEN } }),
    ]
    const secret = made[0]?.body.signing_secret ?? ''
    expect(secret).toMatch(/^whsec_/)
    expect(made[0]?.body.config).toEqual({
      kind: 'webhook',
      url: 'https://hooks.example/a',
      headers: { authorization: '********' },
      body: null,
    })
    expect(made[1]?.body.config).toEqual({ kind: 'slack', url: 'https://hooks.slack.com/…WXYZ' })
    const stored = JSON.stringify(
      toRows(await relational.db.execute(sql`select * from notification_channels`), ANY_ROW),
    )
    const shown = (await list()).text
    for (const text of [HEADER, TOKEN, 'abcdefghij', secret]) {
      expect(stored).not.toContain(text)
      expect(shown).not.toContain(text)
    }
  })

  it('keep the secrets of a webhook, and clear them for another receiver', async () => {
    const { body } = await create(webhook())
    const same = await update(body.id, { config: { kind: 'webhook', url: 'https://hooks.example/a?b=1' } })
    expect(same.body).toMatchObject({ signing_secret: null, cleared_headers: [] })
    const moved = await update(body.id, { config: { kind: 'webhook', url: 'https://other.example/a' } })
    expect(moved.body.cleared_headers).toEqual(['authorization'])
    expect(moved.body.signing_secret).toMatch(/^whsec_/)
    const rotated = await update(body.id, { rotate_secret: true })
    expect(rotated.body.signing_secret).not.toBe(moved.body.signing_secret)
  })

  it('need a token again for another endpoint', async () => {
    const { body } = await create({ name: 'Pager', config: { kind: 'pagerduty', routing_key: TOKEN } })
    const endpoint = 'https://events.eu.pagerduty.com/v2/enqueue'
    const refused = await update(body.id, { config: { kind: 'pagerduty', endpoint } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Give the routing_key again')])
    const moved = await update(body.id, { config: { kind: 'pagerduty', endpoint, routing_key: TOKEN } })
    expect(moved.body.config).toEqual({ kind: 'pagerduty', endpoint })
  })

  it('refuse private targets with a reason, other kinds, and taken names', async () => {
    const refused = await create(webhook({ url: 'http://127.0.0.1:9/hook' }))
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('TOUCHSTONE_OUTBOUND_ALLOW')
    const { body } = await create(webhook())
    expect((await create(webhook())).status).toBe(409)
    expect((await update(body.id, { config: { kind: 'slack', url: SLACK } })).status).toBe(400)
    expect((await update(body.id, { config: { kind: 'webhook', url: 'http://10.0.0.1/' } })).status).toBe(400)
    expect((await update(body.id, { name: 'x', expected_modified_at: '2020-01-01T00:00:00Z' })).status).toBe(409)
  })

  it.each([
    ['a line break in an address', { kind: 'email', to: ['a@b.example\r\nBcc: c@d.example'] }],
    ['a name in an address', { kind: 'email', to: ['Ann <a@b.example>'] }],
    ['no recipient', { kind: 'email', to: [] }],
    ['a line break in a token', { kind: 'slack_bot', token: 'xoxb\r\nx', channel: '#ops' }],
    ['a body that is no object', { kind: 'webhook', url: 'https://a.example', body: '[1]' }],
    [
      'a body nested deeply',
      { kind: 'webhook', url: 'https://a.example', body: `{"a":${'['.repeat(60)}${']'.repeat(60)}}` },
    ],
    ['a header of the signature', { kind: 'webhook', url: 'https://a.example', headers: { 'webhook-id': 'x' } }],
  ])('refuse %s', async (_name, config) => {
    expect((await create({ name: 'Bad', config })).status).toBe(400)
  })

  it('are changed by admins, and belong to their workspace', async () => {
    const { body } = await create(webhook())
    for (const headers of [acme.memberHeaders, acme.readOnlyHeaders]) {
      expect((await list(headers)).status).toBe(200)
      expect((await create({ ...webhook(), name: 'no' }, headers)).status).toBe(403)
      expect((await update(body.id, { name: 'no' }, headers)).status).toBe(403)
      expect((await remove(body.id, headers)).status).toBe(403)
    }
    expect((await read(body.id, other.headers)).status).toBe(404)
    expect((await update(body.id, { name: 'mine' }, other.headers)).status).toBe(404)
    expect((await remove(body.id, other.headers)).status).toBe(404)
    expect((await create(webhook(), other.headers)).status).toBe(201)
  })

  it('are limited in number', async () => {
    const { body } = await create(webhook())
    await relational.db.execute(sql`
      insert into notification_channels
      select gen_random_uuid(), tenant_id, kind, 'copy ' || n, sealed_config, key_id, state, null, null, null, null, null,
        created_at, modified_at, created_by
      from notification_channels, generate_series(2, ${MAX_NOTIFICATION_CHANNELS}) n where id = ${body.id}`)
    const refused = await create({ ...webhook(), name: 'one more' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('at most 100')])
  })
})
