import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { contract } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openOutbound } from '../../outbound/open-outbound.ts'
import { parseSecretKeys, type SecretKey } from '../../settings.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { ANY_ROW } from '../../storage/rows.ts'
import { openSecretBox } from '../../storage/secret-box.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { FAKE_MODELS, type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { openEmptyPglite } from '../../testing/pglite-template.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { lockWorkspace } from '../accounts/workspaces/index.ts'
import { createProvider } from './providers.ts'

const { modelProviders } = contract
const KEY = 'sk-very-secret-0123456789-LAST'
const OTHER_KEY = 'sk-other-secret-987654321-TAIL'
const HEADER = 'header-secret-value'
/** Any part of a secret that is longer than what is shown on purpose. */
const SECRETS = [KEY.slice(0, 12), KEY.slice(-12), OTHER_KEY.slice(0, 12), HEADER]

const aSecretKey = (id: string) => parseSecretKeys(`${id}:${randomBytes(32).toString('base64')}`) ?? []

describe.each(relationalEngines(import.meta.filename))('model providers on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  let fake: FakeProvider
  let keyless: FakeProvider
  let logged = ''
  beforeAll(async () => {
    relational = await open()
    fake = await startFakeProvider({ key: KEY })
    keyless = await startFakeProvider()
    const sink = new PassThrough()
    sink.on('data', (chunk) => {
      logged += chunk
    })
    app = await startApp({ relational, log: pino({ level: 'trace' }, sink) })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterEach(async () => {
    for (const workspace of [acme, other]) {
      for (const { id } of (await list(workspace)).body) await remove(id, workspace)
    }
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
    await keyless.close()
  })

  const list = (as = acme, headers = as.headers) => app.call(modelProviders.list, { headers })
  const add = (body: object, headers = acme.headers) => app.call(modelProviders.create, { body, headers })
  const read = (provider_id: string, headers = acme.headers) =>
    app.call(modelProviders.read, { params: { provider_id }, headers })
  const update = (provider_id: string, body: object, headers = acme.headers) =>
    app.call(modelProviders.update, { params: { provider_id }, body, headers })
  const remove = (provider_id: string, as = acme) =>
    app.call(modelProviders.delete, { params: { provider_id }, headers: as.headers })
  const test = (body: object, headers = acme.headers) => app.call(modelProviders.test, { body, headers })
  const listModels = (provider_id: string, headers = acme.headers) =>
    app.call(modelProviders.listModels, { params: { provider_id }, headers })

  const draft = () => ({
    name: 'Fake',
    kind: 'openai-chat',
    base_url: fake.url,
    key: KEY,
    headers: { 'x-team': HEADER },
  })
  const works = async (id: string) => {
    const { body } = await read(id)
    const { kind, base_url, headers } = body
    return (await test({ provider: { id, kind, base_url, headers }, model: 'fake-model' })).body.works
  }

  it('are called as they are after each change, and not after their removal', async () => {
    const { id } = (await add(draft())).body
    const problem = async () => (await listModels(id)).body.problem?.code ?? null
    expect([await problem(), await problem()]).toEqual([null, null])
    await update(id, { key: OTHER_KEY })
    expect(await problem()).toBe('unauthorized')
    await update(id, { key: KEY })
    expect(await problem()).toBe(null)
    await update(id, { base_url: `${fake.url}/nowhere`, key: KEY })
    expect(await problem()).not.toBe(null)
    await remove(id)
    expect((await listModels(id)).status).toBe(404)
  })

  it('are created, read, listed by name and removed', async () => {
    const made = await add({ ...draft(), models: ['own', 'own'], provider: 'openai' })
    expect(made.body).toMatchObject({
      name: 'Fake',
      kind: 'openai-chat',
      base_url: fake.url,
      key_header: 'authorization',
      headers: { 'x-team': '********' },
      models: ['own'],
      provider: 'openai',
      key_set: true,
      key_last_four: 'LAST',
      key_readable: true,
    })
    await add({ ...draft(), name: 'another', key: null, headers: null, kind: 'gemini' })
    expect((await list()).body.map(({ name, key_set, key_header }) => [name, key_set, key_header])).toEqual([
      ['another', false, 'x-goog-api-key'],
      ['Fake', true, 'authorization'],
    ])
    expect((await read(made.body.id)).body).toEqual(made.body)
    expect((await remove(made.body.id)).status).toBe(200)
    expect((await read(made.body.id)).status).toBe(404)
  })

  it('are not changed when they were changed since they were read', async () => {
    const { body: read } = await add({ ...draft(), models: ['a'] })
    const { name, models, headers } = read
    expect((await update(read.id, { models: ['a', 'b'], expected: { models } })).status).toBe(200)
    const late = await update(read.id, { models: ['c'], expected: { models, headers } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'models'], type: 'changed' }] })
    expect((await update(read.id, { name: 'Renamed', expected: { name } })).status).toBe(200)
    expect((await update(read.id, { headers: {}, expected: { headers } })).status).toBe(200)
    expect((await update(read.id, { headers, expected: { headers } })).status).toBe(409)
    expect((await update(read.id, { models: ['c'] })).body).toMatchObject({ name: 'Renamed', models: ['c'] })
  })

  it('have unique names, and belong to their workspace', async () => {
    const { body } = await add(draft())
    expect((await add(draft())).status).toBe(409)
    const { body: second } = await add({ ...draft(), name: 'Second' })
    expect((await update(second.id, { name: 'Fake' })).status).toBe(409)
    expect((await update(second.id, { name: 'Second' })).status).toBe(200)
    expect((await add(draft(), other.headers)).status).toBe(200)
    const foreign = [
      await read(body.id, other.headers),
      await update(body.id, { name: 'mine' }, other.headers),
      await remove(body.id, other),
      await listModels(body.id, other.headers),
      await test({ provider: { id: body.id, kind: 'openai-chat', base_url: fake.url } }, other.headers),
    ]
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await read(body.id)).body.name).toBe('Fake')
  })

  it('are used by members and changed by admins', async () => {
    const { body } = await add(draft())
    for (const headers of [acme.memberHeaders, acme.readOnlyHeaders]) {
      expect((await list(acme, headers)).status).toBe(200)
      expect((await read(body.id, headers)).status).toBe(200)
      expect((await add({ ...draft(), name: 'no' }, headers)).status).toBe(403)
      expect((await update(body.id, { name: 'no' }, headers)).status).toBe(403)
      expect((await test({ provider: { ...draft(), name: undefined } }, headers)).status).toBe(403)
    }
    expect((await listModels(body.id, acme.memberHeaders)).status).toBe(200)
    expect((await listModels(body.id, acme.readOnlyHeaders)).status).toBe(403)
  })

  it.each([
    ['another base URL', () => ({ base_url: keyless.url }), ['x-team']],
    ['another path', () => ({ base_url: `${fake.url}/deep` }), ['x-team']],
    ['another kind', () => ({ kind: 'anthropic-messages' }), ['x-team']],
    ['another value of a header', () => ({ headers: { 'x-team': 'red' } }), []],
    ['another header', () => ({ headers: { 'x-team': '********', 'x-forward-to': 'https://evil.test' } }), []],
    ['no headers', () => ({ headers: null }), ['x-team']],
  ])('lose their key with %s', async (_name, change, cleared) => {
    const { body } = await add(draft())
    const changed = await update(body.id, change())
    expect(changed.body).toMatchObject({ key_set: false, key_last_four: null, key_cleared: true })
    expect(changed.body.cleared_headers).toEqual(cleared)
    expect((await read(body.id)).body).toMatchObject({ key_set: false, key_cleared: false })
    const again = await update(body.id, { key: KEY })
    expect(again.body).toMatchObject({ key_set: true, key_cleared: false })
  })

  it.each([
    ['another name', { name: 'Renamed' }],
    ['the same base URL', {}],
    ['a slash at the end', {}],
    ['hidden headers written back', { headers: { 'x-team': '********' } }],
    ['the same value of a header', { headers: { 'x-team': HEADER } }],
    ['models', { models: ['a', 'b'] }],
  ])('keep their key with %s', async (name, change) => {
    const { body } = await add(draft())
    const base = name === 'a slash at the end' ? { base_url: `${fake.url}/` } : {}
    const same = name === 'the same base URL' ? { base_url: fake.url } : {}
    const changed = await update(body.id, { ...change, ...base, ...same })
    expect(changed.body).toMatchObject({
      key_set: true,
      key_last_four: 'LAST',
      key_cleared: false,
      cleared_headers: [],
    })
    expect(await works(body.id)).toBe(true)
    expect(fake.heard.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': HEADER })
  })

  it('keep the key given with another base URL, and never send the old one there', async () => {
    const { body } = await add(draft())
    await update(body.id, { base_url: keyless.url, key: OTHER_KEY })
    await works(body.id)
    expect(keyless.heard.at(-1)?.headers.authorization).toBe(`Bearer ${OTHER_KEY}`)
    await update(body.id, { base_url: `${keyless.url}/x` })
    await works(body.id)
    expect(keyless.heard.at(-1)?.headers).not.toHaveProperty('authorization')
    expect(keyless.heard.at(-1)?.headers).not.toHaveProperty('x-team')
    expect(JSON.stringify(keyless.heard)).not.toContain(KEY)
  })

  it('of a test use stored secrets only where these belong', async () => {
    const { body } = await add(draft())
    const hidden = { id: body.id, kind: 'openai-chat', base_url: fake.url, headers: { 'x-team': '********' } }
    expect((await test({ provider: hidden })).body.works).toBe(true)
    await test({ provider: { ...hidden, base_url: keyless.url } })
    await test({ provider: { ...hidden, base_url: keyless.url, kind: 'gemini' } })
    await test({ provider: { ...hidden, headers: { 'x-team': '********', 'x-more': '1' } } })
    expect(JSON.stringify(keyless.heard.slice(-2))).not.toMatch(/very-secret|header-secret/)
    expect(fake.heard.at(-1)?.headers).not.toHaveProperty('authorization')
  })

  it('are tested with their list of models and a short call', async () => {
    const provider = { kind: 'openai-chat', base_url: fake.url, key: KEY }
    const { body } = await test({ provider, model: 'fake-model' })
    expect(body).toMatchObject({ works: true, problem: null, models: [...FAKE_MODELS] })
    expect(body.steps.map(({ step, problem }) => [step, problem])).toEqual([
      ['models', null],
      ['call', null],
    ])
    expect(body.steps[1]?.reply).toMatchObject({ status: 200, body: expect.stringContaining('Grüße') })
  })

  it.each([
    ['no key', { key: undefined }, 'fake-model', { code: 'unauthorized', message: /requires a key/ }],
    ['a wrong key', { key: 'sk-wrong-key-12345' }, 'fake-model', { code: 'unauthorized', message: /rejects the key/ }],
    ['an unknown model', {}, 'gpt-9', { code: 'unknown_model', message: /does not know the model "gpt-9"/ }],
    ['a wrong path', { base_url: '/v2' }, 'fake-model', { code: 'wrong_path', message: /ends? in \/v1/ }],
    ['no server', { base_url: 'http://127.0.0.1:1/v1' }, 'fake-model', { code: 'connection', message: /ECONNREFUSED/ }],
    ['an unknown name', { base_url: 'http://no.invalid/v1' }, 'fake-model', { code: 'dns', message: /no\.invalid/ }],
    ['no TLS', { base_url: 'https' }, 'fake-model', { code: 'tls', message: /certificate|http/ }],
  ])('of a test say what is wrong: %s', async (_name, change, model, { code, message }) => {
    const provider = { kind: 'openai-chat', base_url: fake.url, key: KEY, ...change }
    if (provider.base_url === '/v2') provider.base_url = new URL('/v2', fake.url).href
    if (provider.base_url === 'https') provider.base_url = fake.url.replace('http:', 'https:')
    const { body } = await test({ provider, model })
    expect(body).toMatchObject({ works: false, problem: { code, message: expect.stringMatching(message) } })
  })

  it('list models of the provider, of the form and of the price table', async () => {
    const { body } = await add({ ...draft(), models: ['typed-model', 'fake-model'], provider: 'openai' })
    const { models, problem } = (await listModels(body.id)).body
    expect(problem).toBeNull()
    const find = (id: string) => models.find((model) => model.id === id)
    expect(find('typed-model')).toEqual({ id: 'typed-model', sources: ['typed'], has_price: false })
    expect(find('fake-model')?.sources).toEqual(['typed', 'provider'])
    expect(find('gpt-4o-mini')).toEqual({ id: 'gpt-4o-mini', sources: ['prices'], has_price: true })
    const broken = await update(body.id, { key: 'sk-wrong-key-12345' })
    const after = (await listModels(broken.body.id)).body
    expect(after.problem?.code).toBe('unauthorized')
    expect(after.models.map(({ id }) => id)).toContain('typed-model')
  })

  it.each([
    { name: '' },
    { name: 'x'.repeat(101) },
    { provider: 'a\0b' },
    { models: ['a\ud800'] },
    { kind: 'bedrock' },
    { base_url: 'nonsense' },
    { base_url: 'ftp://x.test' },
    { base_url: 'https://user:pw@x.test' },
    { base_url: 'https://x.test/#fragment' },
    { base_url: 'https://x.test/v1?key=abc' },
    { base_url: 'https://x.test/v1?api_key=abc' },
    { base_url: `https://x.test/${'x'.repeat(2000)}` },
    { key: '' },
    { key: 'with space' },
    { key: 'with\nline' },
    { key: 'x'.repeat(4097) },
    { key_header: 'x-other' },
    { headers: { host: 'x' } },
    { headers: { 'x y': 'z' } },
    { headers: { x: 'a\r\nb: c' } },
    { headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, '1'])) },
    { models: [''] },
    { models: Array.from({ length: 501 }, (_, at) => `m${at}`) },
  ])('are refused as %j', async (change) => {
    const { status, text } = await add({ ...draft(), ...change })
    expect(status).toBe(400)
    expect(text).not.toMatch(/very-secret|header-secret/)
    expect((await update((await add({ ...draft(), name: 'fine' })).body.id, change)).status).toBe(400)
  })

  it('store secrets encrypted, each for its own row', async () => {
    const { body } = await add(draft())
    const { body: twin } = await add({ ...draft(), name: 'twin', key: OTHER_KEY })
    const rows = toRows(await relational.db.execute(sql`select * from model_providers`), ANY_ROW)
    for (const secret of SECRETS) expect(JSON.stringify(rows)).not.toContain(secret)
    await relational.db.execute(sql`
      update model_providers set sealed_key = (select sealed_key from model_providers where id = ${body.id})
      where id = ${twin.id}`)
    expect((await read(twin.id)).body).toMatchObject({ key_readable: false, key_set: true })
    expect((await listModels(twin.id)).status).toBe(400)
    const provider = { id: twin.id, kind: 'openai-chat', base_url: fake.url }
    expect((await test({ provider })).body.problem?.code).toBe('unreadable_key')
    // The form sends all fields, and no headers where they cannot be read.
    const renamed = { name: 'renamed', kind: 'openai-chat', base_url: fake.url, headers: {} } as const
    expect((await update(twin.id, renamed)).body).toMatchObject({ key_readable: false, key_set: true })
    expect((await update(twin.id, { key: KEY })).body).toMatchObject({ key_readable: true })
  })

  it('never return a secret, in no answer, log line or error', async () => {
    const texts: string[] = []
    const note = <Answer extends { readonly text: string; readonly headers: Headers }>(answer: Answer): Answer => {
      texts.push(answer.text, JSON.stringify([...answer.headers]))
      return answer
    }
    const { id } = note(await add(draft())).body
    note(await add(draft()))
    note(await add({ ...draft(), name: '' }))
    note(await add({ ...draft(), base_url: 'http://10.0.0.1' }))
    note(await list())
    note(await read(id))
    note(await update(id, { key: OTHER_KEY }))
    note(await update(id, { key: KEY, headers: { 'x-team': HEADER, authorization: `Bearer ${HEADER}` } }))
    note(await update(id, { key: KEY, headers: { 'x-team': HEADER } }))
    note(await update(id, { key: `${KEY}\n` }))
    note(await listModels(id))
    for (const kind of ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']) {
      const base_url = kind === 'gemini' ? fake.geminiUrl : fake.url
      for (const model of [...FAKE_MODELS, 'unknown', KEY]) {
        if (/slow|stall|endless/.test(model)) continue
        note(await test({ provider: { kind, base_url, key: KEY, headers: { 'x-team': HEADER } }, model }))
      }
    }
    note(await app.call(modelProviders.keyStatus, { headers: acme.headers }))
    note(await app.call(modelProviders.rotateKeys, { headers: acme.headers }))
    note(await remove(id))
    expect(texts.length).toBeGreaterThan(100)
    expect(logged).toContain('model-providers')
    for (const secret of SECRETS) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([])
      expect(logged).not.toContain(secret)
    }
  })
})

describe.each(relationalEngines(import.meta.filename))('hosts that model providers may have on %s', (_engine, open) => {
  const started: StartedApp[] = []
  // What a server knows of its requests is in its memory, so the servers share a database.
  let relational: Relational
  let fake: FakeProvider
  beforeAll(async () => {
    relational = await open()
    fake = await startFakeProvider()
  })
  afterAll(async () => {
    for (const app of started) await app.close()
    await relational.close()
    await fake.close()
  })
  const start = async (config: object) => {
    const app = await startApp({ config, relational })
    started.push(app)
    return { app, headers: (await aWorkspace(app)).headers }
  }
  const tryHost = async ({ app, headers }: Awaited<ReturnType<typeof start>>, base_url: string) => {
    const provider = { kind: 'openai-chat', base_url }
    const { status, body, text } = await app.call(modelProviders.test, { body: { provider }, headers })
    return status === 200 ? (body.problem?.code ?? 'works') : `${status} ${text}`
  }

  const onLocalhost = () => fake.url.replace('127.0.0.1', 'localhost')

  it('are on this machine while nothing else reaches the server', async () => {
    const local = await start({})
    expect(await tryHost(local, fake.url)).toBe('works')
    expect(await tryHost(local, onLocalhost())).toBe('works')
    expect(await tryHost(local, 'http://10.0.0.1/v1')).toMatch(/^400 .*TOUCHSTONE_OUTBOUND_ALLOW/)
  })

  it.each([{ 'x-forwarded-for': '203.0.113.7' }, { via: '1.1 proxy' }])(
    'are not on this machine once a request came through a proxy, as by %j',
    async (sign) => {
      const local = await start({})
      expect(await tryHost(local, fake.url)).toBe('works')
      const proxied = { ...local, headers: { ...local.headers, ...sign } }
      expect(await tryHost(proxied, fake.url)).toMatch(/^400 .*TOUCHSTONE_OUTBOUND_ALLOW/)
      expect(await tryHost(proxied, onLocalhost())).toBe('not_allowed')
      // A job does not tell by whom it was requested.
      expect(await tryHost(local, fake.url)).toMatch(/^400/)
    },
  )

  it.each([
    { 'x-original-url': '/' },
    { via: '1.1 proxy' },
    { 'x-forwarded-for': '203.0.113.7', 'x-api-key': 'wrong' },
  ])('stay on this machine after a request without valid credentials, as by %j', async (headers) => {
    const local = await start({})
    for (const path of ['/ok', '/api/v1/info', '/api/v1/sessions', '/']) await local.app.fetch(path, { headers })
    expect(await tryHost(local, fake.url)).toBe('works')
  })

  it.each([{ host: '0.0.0.0' }, { publicUrl: 'https://touchstone.example.org' }])(
    'are not on this machine with %j',
    async (config) => {
      const before = fake.heard.length
      const open = await start(config)
      expect(await tryHost(open, fake.url)).toMatch(/^400 .*TOUCHSTONE_OUTBOUND_ALLOW/)
      expect(await tryHost(open, onLocalhost())).toBe('not_allowed')
      expect(fake.heard.length).toBe(before)
    },
  )

  it('are those that the operator allows', async () => {
    const allowed = await start({ host: '0.0.0.0', outboundAllow: ['127.0.0.1'] })
    expect(await tryHost(allowed, fake.url)).toBe('works')
  })

  it.each([
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://①②⑦.⓪.⓪.①',
    'http://0.0.0.0',
    'http://169.254.169.254/latest/meta-data',
    'http://192.168.0.1',
    'http://100.64.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[64:ff9b::7f00:1]',
    'http://[2002:7f00:1::]',
    'http://[fe80::1]',
    'http://[fd12:3456::1]',
    'file:///etc/passwd',
    'gopher://example.com',
  ])('are not %s on a server that others reach', async (url) => {
    const open = started.find(({ deps }) => deps.config.host === '0.0.0.0' && deps.config.outboundAllow.length === 0)
    if (open === undefined) throw new Error('no server')
    const { headers } = await aWorkspace(open)
    const base_url = url.startsWith('http://')
      ? `${url.replace(/^(http:\/\/[^/]+)/, `$1:${new URL(fake.url).port}`)}`
      : url
    const before = fake.heard.length
    const body = { name: 'x', kind: 'openai-chat', base_url, key: KEY }
    expect((await open.call(modelProviders.create, { body, headers })).status).toBe(400)
    expect(await tryHost({ app: open, headers }, base_url)).toMatch(/^400/)
    expect(fake.heard.length).toBe(before)
  })
})

describe('the key of a provider', () => {
  it('that was just entered is tested when the stored one cannot be read', async () => {
    const relational = await openEmptyPglite()
    const fake = await startFakeProvider({ key: KEY })
    const withKeys = (id: string) => startApp({ relational, config: { secretKeys: aSecretKey(id) } })
    const first = await withKeys('first')
    const { headers } = await aWorkspace(first)
    const body = { name: 'p', kind: 'openai-chat', base_url: fake.url, key: OTHER_KEY }
    const { id } = (await first.call(modelProviders.create, { body, headers })).body
    await first.close()
    const app = await withKeys('second')
    const test = async (more: object) => {
      const provider = { id, kind: 'openai-chat', base_url: fake.url, ...more }
      return (await app.call(modelProviders.test, { body: { provider, model: 'fake-model' }, headers })).body
    }
    expect(await test({})).toMatchObject({ works: false, problem: { code: 'unreadable_key' } })
    expect(await test({ key: KEY })).toMatchObject({ works: true, problem: null })
    expect(await test({ key: null })).toMatchObject({ works: false, problem: { code: 'unauthorized' } })
    await app.close()
    await relational.close()
    await fake.close()
  })

  it('is not stored for a workspace that is being deleted', async () => {
    const app = await startApp({})
    const modelOutbound = openOutbound([])
    const deps = { ...app.deps, lockWorkspace, modelOutbound, secrets: openSecretBox(app.deps.config) }
    const body = { name: 'p', kind: 'openai-chat' as const, base_url: 'https://x.test', key: KEY }
    const gone = '00000000-0000-4000-8000-00000000dead'
    await expect(createProvider(deps, gone, body)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await modelOutbound.close()
    await app.close()
  })
})

describe('secret keys of the server', () => {
  it('are changed without entering the keys of providers again', async () => {
    const relational = await openEmptyPglite()
    const [first, second] = [aSecretKey('first'), aSecretKey('second')]
    const withKeys = (secretKeys: readonly SecretKey[]) => startApp({ relational, config: { secretKeys } })
    const body = { name: 'p', kind: 'openai-chat', base_url: 'https://x.test', key: KEY, headers: { 'x-team': HEADER } }
    let app = await withKeys(first)
    const { headers } = await aWorkspace(app)
    const provider_id = (await app.call(modelProviders.create, { body, headers })).body.id
    const channel = { name: 'ops', config: { kind: 'pagerduty', routing_key: KEY } }
    await app.call(contract.notifications.create, { body: channel, headers })
    const read = async () => (await app.call(modelProviders.read, { params: { provider_id }, headers })).body
    const status = async () => (await app.call(modelProviders.keyStatus, { headers })).body
    const restart = async (keys: readonly SecretKey[]) => {
      await app.close()
      app = await withKeys(keys)
    }
    expect(await read()).toMatchObject({ key_id: 'first', key_readable: true })

    await restart([...second, ...first])
    expect(await read()).toMatchObject({ key_id: 'first', key_readable: true })
    expect(await status()).toEqual({
      source: 'environment',
      current_key_id: 'second',
      providers: { current: 0, older: 1, unreadable: 0 },
      channels: { current: 0, older: 1, unreadable: 0 },
    })
    const rotated = await app.call(modelProviders.rotateKeys, { headers })
    expect(rotated.body.providers).toEqual({ current: 1, older: 0, unreadable: 0 })
    expect(rotated.body.channels).toEqual({ current: 1, older: 0, unreadable: 0 })

    await restart(second)
    expect(await read()).toMatchObject({ key_id: 'second', key_readable: true, key_last_four: 'LAST' })
    await restart(first)
    expect(await read()).toMatchObject({ key_id: 'second', key_readable: false, key_set: true, headers: {} })
    expect((await status()).providers).toEqual({ current: 0, older: 0, unreadable: 1 })
    // A rename keeps what another start may read again.
    await app.call(modelProviders.update, { params: { provider_id }, body: { name: 'renamed' }, headers })
    await restart(second)
    expect(await read()).toMatchObject({ name: 'renamed', key_readable: true, headers: { 'x-team': '********' } })
    await app.close()
    await relational.close()
  })
})
