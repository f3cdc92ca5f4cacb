import { createHmac } from 'node:crypto'
import { contract } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { aManifest } from '../../../testing/a-manifest.ts'
import { aReceiver, type Heard, type Receiver } from '../../../testing/a-receiver.ts'
import { type AWorkspace, aWorkspace } from '../../../testing/a-workspace.ts'
import { relationalEngines } from '../../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const { promptWebhooks, prompts, promptCommits } = contract
const SOON = { timeout: 10_000 }

describe.each(relationalEngines(import.meta.filename))('webhooks of prompts on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  let receiver: Receiver
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational, config: { outboundAllow: ['127.0.0.1'] } })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  beforeEach(async () => {
    receiver = await aReceiver()
  })
  afterEach(async () => {
    await receiver.close()
    for (const { id } of (await list()).body) await remove(id)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const list = (as = acme) => app.call(promptWebhooks.list, { headers: as.headers })
  const create = (body: object, as = acme) => app.call(promptWebhooks.create, { body, headers: as.headers })
  const read = (webhook_id: string, as = acme) =>
    app.call(promptWebhooks.read, { params: { webhook_id }, headers: as.headers })
  const update = (webhook_id: string, body: object, as = acme) =>
    app.call(promptWebhooks.update, { params: { webhook_id }, body, headers: as.headers })
  const remove = (webhook_id: string, as = acme) =>
    app.call(promptWebhooks.delete, { params: { webhook_id }, headers: as.headers })
  const deliveries = async (webhook_id: string) =>
    (await app.call(promptWebhooks.deliveries, { params: { webhook_id }, headers: acme.headers })).body.deliveries

  let named = 0
  async function aPrompt(): Promise<{ name: string; id: string }> {
    const name = `hooked-${++named}`
    const body = { repo_handle: name, is_public: false }
    const made = await app.call(prompts.create, { body, headers: acme.headers })
    return { name, id: made.body.repo.id }
  }
  async function commit(repo: string, template: string, more: object = {}) {
    const body = { manifest: aManifest(template), ...more }
    const made = await app.call(promptCommits.create, { params: { owner: '-', repo }, body, headers: acme.headers })
    expect(made.status, made.text).toBe(201)
    return made.body.commit
  }
  const tag = (repo: string, tag_name: string, commit_id: string) =>
    app.call(promptCommits.createTag, {
      params: { owner: '-', repo },
      body: { tag_name, commit_id },
      headers: acme.headers,
    })
  const events = () => receiver.heard.map(({ body }) => JSON.parse(body).event as string)

  it('receive commits and tags in the form of the contract', async () => {
    const triggers = ['commit', 'tag:create', 'tag:update', 'tag:delete']
    const { body: webhook } = await create({ url: `${receiver.url}/hook`, triggers })
    const prompt = await aPrompt()
    const first = await commit(prompt.name, 'one')
    await expect.poll(events, SOON).toEqual(['commit'])
    await tag(prompt.name, 'v1', first.id)
    await expect.poll(events, SOON).toEqual(['commit', 'tag:create'])
    const second = await commit(prompt.name, 'two', { skip_webhooks: true })
    await tag(prompt.name, 'v1', second.id)
    await expect.poll(events, SOON).toEqual(['commit', 'tag:create', 'tag:update'])
    const params = { owner: '-', repo: prompt.name, tag_name: 'v1' }
    await app.call(promptCommits.deleteTag, { params, headers: acme.headers })
    await expect.poll(events, SOON).toEqual(triggers)

    expect(receiver.heard[0]!.path).toBe('/hook')
    expect(JSON.parse(receiver.heard[0]!.body)).toEqual({
      prompt_id: prompt.id,
      prompt_name: prompt.name,
      manifest: aManifest('one'),
      commit_hash: first.commit_hash,
      created_at: first.created_at,
      created_by: first.full_name,
      event: 'commit',
    })
    expect(JSON.parse(receiver.heard[2]!.body)).toMatchObject({ commit_hash: second.commit_hash, tag_name: 'v1' })
    await expect
      .poll(
        async () => (await deliveries(webhook.id)).map(({ status, response_text }) => [status, response_text]),
        SOON,
      )
      .toEqual([4, 3, 2, 1].map((n) => ['delivered', `heard ${n}`]))
  })

  it('sign requests with a secret that is returned once', async () => {
    const { body: webhook } = await create({ url: receiver.url, headers: { authorization: 'Bearer of the receiver' } })
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/)
    expect((await read(webhook.id)).body).toEqual({ ...webhook, secret: null })
    expect((await list()).body).toEqual([{ ...webhook, secret: null }])
    expect(webhook.headers).toEqual({ authorization: '********' })
    const prompt = await aPrompt()
    await commit(prompt.name, 'signed')
    await expect.poll(events, SOON).toHaveLength(1)
    expect(receiver.heard[0]!.headers.authorization).toBe('Bearer of the receiver')
    expect(receiver.heard[0]!.headers['webhook-id']).toBe((await deliveries(webhook.id))[0]!.id)
    expect(isSignedWith(webhook.secret!, receiver.heard[0]!)).toBe(true)

    const { body: rotated } = await update(webhook.id, { rotate_secret: true })
    expect(rotated.secret).not.toBe(webhook.secret)
    await commit(prompt.name, 'signed again')
    await expect.poll(events, SOON).toHaveLength(2)
    expect(isSignedWith(webhook.secret!, receiver.heard[1]!)).toBe(false)
    expect(isSignedWith(rotated.secret!, receiver.heard[1]!)).toBe(true)
  })

  it('store secrets and headers encrypted, each for its own row', async () => {
    const { body: webhook } = await create({ url: receiver.url, headers: { 'x-token': 'very secret' } })
    const { body: twin } = await create({ url: receiver.url })
    const rows = toRows(await relational.db.execute(sql`select * from prompt_webhooks`), (row) => row)
    expect(JSON.stringify(rows)).not.toContain('very secret')
    expect(JSON.stringify(rows)).not.toContain(webhook.secret)
    await relational.db.execute(sql`
      update prompt_webhooks set sealed_headers = (select sealed_headers from prompt_webhooks where id = ${webhook.id})
      where id = ${twin.id}`)
    expect((await read(twin.id)).status).toBe(500)
    await remove(twin.id)
  })

  it.each([
    ['another path', (url: string) => `${url}/other`, true],
    ['another query', (url: string) => `${url}?key=2`, false],
  ])('send secrets to no other receiver: a URL with %s', async (_, change, isOther) => {
    const before = `${receiver.url}/hook`
    const { body: webhook } = await create({ url: before, headers: { authorization: 'Bearer of the receiver' } })
    const { body: changed } = await update(webhook.id, { url: change(before) })
    expect(changed).toMatchObject({
      headers: isOther ? {} : { authorization: '********' },
      cleared_headers: isOther ? ['authorization'] : [],
    })
    expect(changed.secret === null).toBe(!isOther)
    const heard = receiver.heard.length
    const draft = { id: webhook.id, url: change(change(before)), headers: { authorization: '********' } }
    await app.call(promptWebhooks.test, { body: { webhook: draft }, headers: acme.headers })
    const secret = receiver.heard[heard]?.headers.authorization
    if (isOther) expect(secret ?? '').not.toContain('Bearer')
    else expect(secret).toBe('Bearer of the receiver')
  })

  it('change, and keep hidden headers', async () => {
    const { body: webhook } = await create({ url: receiver.url, headers: { 'x-one': '1', 'x-two': '2' } })
    const headers = { 'x-two': '********', 'x-three': '3' }
    const { body: changed } = await update(webhook.id, { headers, triggers: ['commit', 'tag:create'] })
    expect(changed).toMatchObject({ headers: { 'x-two': '********', 'x-three': '********' }, url: receiver.url })
    await commit((await aPrompt()).name, 'changed')
    await expect.poll(events, SOON).toHaveLength(1)
    expect(receiver.heard[0]!.headers).toMatchObject({ 'x-two': '2', 'x-three': '3' })
    expect(receiver.heard[0]!.headers).not.toHaveProperty('x-one')
  })

  it('are not changed when they were changed since they were read', async () => {
    const { body: read } = await create({ url: receiver.url, headers: { 'x-one': '1' } })
    const { headers, triggers, url } = read
    expect((await update(read.id, { triggers: ['tag:create'], expected: { triggers } })).status).toBe(200)
    const late = await update(read.id, { url: `${url}/2`, triggers: ['tag:update'], expected: { url, triggers } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'triggers'], type: 'changed' }] })
    const more = { headers: { ...headers, 'x-two': '2' }, expected: { headers } }
    expect((await update(read.id, more)).status).toBe(200)
    expect((await update(read.id, more)).status).toBe(409)
    expect((await update(read.id, { triggers: ['commit'] })).body).toMatchObject({ triggers: ['commit'], url })
  })

  it('receive events of the selected prompts, unless the push skips them', async () => {
    const [wanted, unwanted, third] = [await aPrompt(), await aPrompt(), await aPrompt()]
    const { body: some } = await create({ url: `${receiver.url}/some`, include_prompts: [wanted.id] })
    await create({ url: `${receiver.url}/most`, exclude_prompts: [unwanted.id] })
    await commit(unwanted.name, 'unwanted')
    await commit(wanted.name, 'skipped', { skip_webhooks: true })
    await commit(wanted.name, 'skipped by one', { skip_webhooks: [some.id] })
    await commit(wanted.name, 'heard by both')
    await commit(third.name, 'heard by most')
    const heard = () => receiver.heard.map(({ path, body }) => `${path} ${JSON.parse(body).prompt_name}`).toSorted()
    await expect
      .poll(heard, SOON)
      .toEqual(
        [`/most ${third.name}`, `/most ${wanted.name}`, `/most ${wanted.name}`, `/some ${wanted.name}`].toSorted(),
      )
  })

  it('are retried with the same id while the receiver fails, which fails no push', async () => {
    const { body: webhook } = await create({ url: receiver.url })
    receiver.status = 503
    await commit((await aPrompt()).name, 'late')
    await expect.poll(events, SOON).toHaveLength(1)
    await expect
      .poll(async () => (await deliveries(webhook.id))[0], SOON)
      .toMatchObject({ status: 'pending', attempts: 1, response_status: 503, error: 'The receiver answered 503.' })
    receiver.status = 204
    await expect.poll(events, { timeout: 20_000 }).toHaveLength(2)
    expect(receiver.heard[0]!.headers['webhook-id']).toBe(receiver.heard[1]!.headers['webhook-id'])
    expect(receiver.heard[0]!.body).toBe(receiver.heard[1]!.body)
    await expect
      .poll(async () => (await deliveries(webhook.id))[0], SOON)
      .toMatchObject({ status: 'delivered', attempts: 2, response_status: 204, error: null })
  }, 40_000)

  it('deliver an event again on request, with a new id and the same content', async () => {
    const { body: webhook } = await create({ url: receiver.url, triggers: ['tag:create'] })
    const redeliver = (delivery_id: string, as = acme, webhook_id = webhook.id) =>
      app.call(promptWebhooks.redeliver, { params: { webhook_id, delivery_id }, headers: as.headers })
    const prompt = await aPrompt()
    const { id } = await commit(prompt.name, 'again')
    await tag(prompt.name, 'v1', id)
    await expect.poll(events, SOON).toEqual(['tag:create'])
    await expect.poll(async () => (await deliveries(webhook.id))[0]?.status, SOON).toBe('delivered')
    const [first] = await deliveries(webhook.id)
    const again = await redeliver(first!.id)
    expect(again.body).toMatchObject({ event: 'tag:create', tag_name: 'v1', status: 'pending', attempts: 0 })
    expect(again.body.id).not.toBe(first!.id)
    await expect.poll(events, SOON).toHaveLength(2)
    expect(receiver.heard[1]!.body).toBe(receiver.heard[0]!.body)
    expect(receiver.heard[1]!.headers['webhook-id']).toBe(again.body.id)
    await expect.poll(async () => (await deliveries(webhook.id)).length, SOON).toBe(2)

    const { body: twin } = await create({ url: receiver.url, triggers: ['tag:delete'] })
    expect((await redeliver(first!.id, acme, twin.id)).status).toBe(404)

    // A receiver would deploy the old commit again.
    await tag(prompt.name, 'v1', (await commit(prompt.name, 'newer')).id)
    expect(await redeliver(first!.id)).toMatchObject({
      status: 409,
      text: expect.stringContaining('"v1\\" names the commit'),
    })
    expect((await redeliver(first!.id, other)).status).toBe(404)
    expect((await redeliver(webhook.id)).status).toBe(404)
    await app.call(prompts.delete, { params: { owner: '-', repo: prompt.name }, headers: acme.headers })
    expect((await redeliver(first!.id)).status).toBe(404)
  })

  it('reject forbidden addresses with a message', async () => {
    for (const url of ['http://10.0.0.1', 'http://[::1]/', 'ftp://x.test', 'http://a:b@x.test', 'nonsense']) {
      expect((await create({ url })).status, url).toBe(400)
    }
    const { body: webhook } = await create({ url: receiver.url })
    Object.assign(receiver, { status: 307, headers: { location: 'http://10.0.0.1/' } })
    await commit((await aPrompt()).name, 'refused')
    await expect
      .poll(async () => (await deliveries(webhook.id))[0], SOON)
      .toMatchObject({ status: 'failed', attempts: 1, error: expect.stringContaining('TOUCHSTONE_OUTBOUND_ALLOW') })
  })

  it('can be tested before and after they are created', async () => {
    const test = (body: object) => app.call(promptWebhooks.test, { body, headers: acme.headers })
    const answer = await test({ webhook: { url: receiver.url }, payload: { big: 12345678901234567890n.toString() } })
    expect(answer.body).toEqual({ delivered: true, response_status: 200, response_text: 'heard 1', error: null })
    const { body: webhook } = await create({ url: receiver.url, headers: { 'x-token': 't' } })
    await test({ webhook: { id: webhook.id, url: receiver.url, headers: webhook.headers } })
    expect(receiver.heard[1]!.headers['x-token']).toBe('t')
    expect(isSignedWith(webhook.secret!, receiver.heard[1]!)).toBe(true)
    receiver.status = 418
    expect((await test({ webhook: { url: receiver.url } })).body).toMatchObject({
      delivered: false,
      response_status: 418,
    })
    expect((await test({ webhook: { url: 'http://10.0.0.1' } })).status).toBe(400)
  })

  it.each([
    { url: 'https://x.test', headers: { host: 'y' } },
    { url: 'https://x.test', headers: { 'Webhook-Signature': 'y' } },
    { url: 'https://x.test', headers: { 'x y': 'z' } },
    { url: 'https://x.test', headers: { x: 'a\r\nb: c' } },
    { url: 'https://x.test', triggers: ['push'] },
    { url: 'https://x.test', triggers: [] },
    { url: 'https://x.test', include_prompts: ['x'] },
    {},
  ])('are rejected as %j', async (body) => {
    expect((await create(body)).status).toBe(400)
  })

  it('belong to their workspace', async () => {
    const { body: webhook } = await create({ url: receiver.url })
    const { id } = webhook
    expect((await list(other)).body).toEqual([])
    expect([
      (await read(id, other)).status,
      (await update(id, {}, other)).status,
      (await remove(id, other)).status,
    ]).toEqual([404, 404, 404])
    expect((await create({ id, url: receiver.url }, other)).status).toBe(409)
    const test = { webhook: { id, url: receiver.url, headers: { 'x-token': '********' } } }
    await app.call(promptWebhooks.test, { body: test, headers: other.headers })
    expect(isSignedWith(webhook.secret!, receiver.heard[0]!)).toBe(false)
  })
})

function isSignedWith(secret: string, { headers, body }: Heard): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(60_000)
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
