import { request as httpRequest } from 'node:http'
import { allRoutes, contract, mountedPaths, type Role, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller } from '../../../testing/a-caller.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { createKey, Keyring } from './index.ts'

/** Routes that use POST and change nothing, so viewers may call them. */
const READING_POSTS = [
  'POST /alerts/preview',
  'POST /annotation-queues/{queue_id}/export',
  'POST /datasets/{dataset_id}/experiment-runs',
  'POST /datasets/{dataset_id}/experiments/cells',
  'POST /datasets/{dataset_id}/experiments/grouped',
  'POST /datasets/{dataset_id}/experiments/search',
  'POST /datasets/{dataset_id}/experiments/statistics',
  'POST /datasets/{dataset_id}/group/runs',
  'POST /datasets/{dataset_id}/runs',
  'POST /datasets/{dataset_id}/runs/delta',
  'POST /datasets/{dataset_id}/runs/delta/stream',
  'POST /datasets/{dataset_id}/search',
  'POST /examples/validate',
  'POST /examples/validate/bulk',
  'POST /model-price-map/test',
  'POST /rules/dry-run',
  'POST /runs/errors',
  'POST /runs/facets',
  'POST /runs/generate-query',
  'POST /runs/group',
  'POST /runs/group/stats',
  'POST /runs/histogram',
  'POST /runs/query',
  'POST /runs/query/validate',
  'POST /runs/series',
  'POST /runs/stats',
  'POST /runs/values',
  'POST /threads/query',
  'POST /threads/stats',
  'POST /sql/query',
  'POST /traces/query',
]

/** Routes for admins only. */
const FOR_ADMINS = [
  'POST /ingest/refused/retry',
  'DELETE /hub/environments/{id}',
  'DELETE /model-providers/{provider_id}',
  'DELETE /prompt-webhooks/{webhook_id}',
  'DELETE /workspaces/current/invites/{id}',
  'DELETE /workspaces/current/members/{id}',
  'GET /prompt-webhooks/{webhook_id}/deliveries',
  'GET /workspaces/current/invites',
  'GET /workspaces/current/storage',
  'PATCH /hub/environments/{id}',
  'PATCH /model-providers/{provider_id}',
  'PATCH /prompt-webhooks/{webhook_id}',
  'PATCH /spending/limits',
  'PATCH /workspaces/current',
  'PATCH /workspaces/current/members/{id}',
  'PATCH /workspaces/{id}',
  'POST /hub/environments',
  'POST /model-providers',
  'POST /model-providers/test',
  'POST /notification-channels',
  'POST /notification-channels/{channel_id}/test',
  'POST /notification-deliveries/{delivery_id}/redeliver',
  'GET /notification-channels/{channel_id}/deliveries',
  'PATCH /notification-channels/{channel_id}',
  'DELETE /notification-channels/{channel_id}',
  'POST /prompt-webhooks',
  'POST /prompt-webhooks/test',
  'POST /prompt-webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  'POST /settings/handle',
  'POST /workspaces',
  'POST /workspaces/current/invites',
  'PUT /workspaces/current/retention',
  'DELETE /workspaces/{id}',
]

/** Routes that affect all workspaces. */
const FOR_SERVER_ADMINS = [
  'GET /backups',
  'POST /backups',
  'GET /backups/{backup_id}',
  'GET /server/admins',
  'POST /server/admins',
  'DELETE /server/admins/{id}',
  'GET /model-providers/secret-keys',
  'POST /model-providers/secret-keys/rotate',
]

/** All routes without a key. Add a route here only on purpose. */
const PUBLIC = [
  'GET /info',
  'GET /info/health',
  'GET /ok',
  'GET /ready',
  'GET /blobs/{token}',
  'PUT /api/public/media/uploads/{token}', // signed when the file is announced
  'GET /jobs/downloads/{token}',
  'GET /feedback/tokens/{token}',
  'POST /feedback/tokens/{token}',
  'POST /feedback/tokens/{token}/confirm',
  'GET /auth/invites/{token}',
  'GET /auth/state',
  'POST /auth/invites/{token}',
  'POST /auth/login',
  'POST /auth/logout',
  'POST /auth/setup',
  'GET /public/datasets/sessions-bulk',
  'GET /public/{share_token}/datasets',
  'GET /public/{share_token}/datasets/comparative',
  'GET /public/{share_token}/datasets/feedback',
  'GET /public/{share_token}/datasets/runs/{run_id}',
  'GET /public/{share_token}/datasets/sessions',
  'GET /public/{share_token}/examples',
  'GET /public/{share_token}/examples/count',
  'POST /public/{share_token}/datasets/experiments/cells',
  'POST /public/{share_token}/datasets/experiments/search',
  'POST /public/{share_token}/datasets/experiments/statistics',
  'POST /public/{share_token}/datasets/runs/delta',
  'POST /public/{share_token}/datasets/runs/generate-query',
  'POST /public/{share_token}/datasets/runs/query',
  'POST /public/{share_token}/datasets/runs/stats',
  'POST /public/{share_token}/examples/runs',
  'GET /public/{share_token}/feedbacks',
  'GET /public/{share_token}/run',
  'GET /public/{share_token}/run/{run_id}',
  'GET /public/{share_token}/runs',
  'GET /public/{share_token}/runs{query_text}',
  'GET /public/{share_token}/spine',
  'GET /public/{share_token}/trace/runs',
  'GET /public/{share_token}/trace/runs/columns',
  'GET /public/{share_token}/thread/traces',
  'GET /public/schemas/{version}/{file}',
  'POST /public/{share_token}/runs/query', // v1 and v2
  // Public prompts only; private prompts and the owner `-` are 404.
  'GET /comments/{owner}/{repo}',
  'GET /comments/{owner}/{repo}/{comment_id}',
  'GET /commits/{owner}/{repo}',
  'GET /commits/{owner}/{repo}/{commit}',
  'GET /hub/repos/{owner}/{repo}/directories',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/history',
  'GET /repos/{owner}/{repo}/tags',
  'GET /repos/{owner}/{repo}/tags/{tag_name}',
  'GET /repos/{owner}/{repo}/tags/{tag_name}/history',
]

/** A request with a Host header, which `fetch` does not allow. */
function statusWith(app: StartedApp, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  const { port } = new URL(app.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    request.on('error', reject)
    request.end()
  })
}

/** Routes for a person's own account, also for viewers. */
const OF_ONES_OWN = [
  'DELETE /auth/sign-ins/{id}',
  'PATCH /auth/me',
  'POST /auth/invites/{token}/join',
  'POST /auth/leave',
  'POST /auth/password',
]

describe('an open server', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it('accepts requests with any key and without one', async () => {
    expect((await app.call(contract.workspaces.settings)).status).toBe(200)
    expect((await app.call(contract.workspaces.settings, { headers: { 'x-api-key': 'whatever' } })).status).toBe(200)
  })

  it.each(['localhost:3000', '127.0.0.1', '[::1]:80', 'app.localhost'])('accepts the host name %s', async (host) => {
    expect(await statusWith(app, '/settings', { host })).toBe(200)
  })

  it.each(['evil.example', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.evil.example'])(
    'rejects the host name %s',
    async (host) => {
      expect(await statusWith(app, '/settings', { host })).toBe(403)
      expect(await statusWith(app, '/info', { host })).toBe(200)
    },
  )

  it('rejects pages of other origins and accepts those of this machine', async () => {
    expect(await statusWith(app, '/settings', { origin: 'https://evil.example' })).toBe(403)
    expect(await statusWith(app, '/settings', { origin: 'null' })).toBe(403)
    expect(await statusWith(app, '/settings', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await statusWith(app, '/runs', { origin: 'https://evil.example' }, 'POST')).toBe(403)
    expect(await statusWith(app, '/settings', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' })).toBe(
      200,
    )
  })

  it('answers preflight requests for public routes only', async () => {
    const origin = 'https://other.example'
    const of = (path: string) => app.fetch(path, { method: 'OPTIONS', headers: { origin } })
    expect((await of('/info')).headers.get('access-control-allow-origin')).toBe('*')
    expect((await of('/sessions')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a closed server', () => {
  let app: StartedApp
  let key: string
  beforeAll(async () => {
    app = await startApp()
    key = (await app.call(contract.apiKeys.create, { body: { description: 'first' } })).body.key
  })
  afterAll(() => app.close())

  const withKey = (value: string) => ({ headers: { 'x-api-key': value } })
  const settings = (headers: Record<string, string>) => app.call(contract.workspaces.settings, { headers })

  it('answers only the listed routes without a key', async () => {
    const answering: string[] = []
    for (const route of allRoutes()) {
      for (const path of mountedPaths(route)) {
        const answer = await app.fetch(path.replaceAll(/\{\w+\}/g, uuid7()), { method: route.method })
        await answer.arrayBuffer()
        if (answer.status !== 401) answering.push(`${route.method} ${route.path}`)
      }
    }
    expect([...new Set(answering)].sort()).toEqual([...PUBLIC].sort())
  })

  it('mounts every route of the contract and no other', async () => {
    const known = new Set(allRoutes().flatMap((route) => mountedPaths(route).map((path) => `${route.method} ${path}`)))
    expect(app.mounted.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...known].sort())
  })

  it('responds with 401 in the form that clients expect', async () => {
    const answer = await settings({ 'x-api-key': 'ts_wrong' })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ detail: 'Invalid token' })
  })

  it('accepts a key in either header', async () => {
    expect((await settings({ 'x-api-key': key })).status).toBe(200)
    expect((await settings({ authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await settings({ 'x-api-key': key, origin: 'https://any.example' })).status).toBe(200)
  })

  it('rejects a header with another workspace', async () => {
    const { body } = await settings({ 'x-api-key': key })
    expect((await settings({ 'x-api-key': key, 'x-tenant-id': body.id.toUpperCase() })).status).toBe(200)
    expect((await settings({ 'x-api-key': key, 'x-tenant-id': uuid7() })).status).toBe(403)
  })

  it('accepts reads with a read-only key', async () => {
    const { body } = await app.call(contract.apiKeys.create, { body: { read_only: true }, ...withKey(key) })
    expect((await app.call(contract.projects.list, withKey(body.key))).status).toBe(200)
    expect((await app.call(contract.projects.create, { body: { name: 'x' }, ...withKey(body.key) })).status).toBe(403)
    expect((await app.call(contract.runs.create, { body: {}, ...withKey(body.key) })).status).toBe(403)
  })

  it('allows each role exactly its routes', async () => {
    const keyOf = async (role: Role) =>
      (await app.call(contract.apiKeys.create, { body: { role }, ...withKey(key) })).body.key
    const keys = { viewer: await keyOf('viewer'), member: await keyOf('member') }
    for (const role of ['viewer', 'member'] as const) {
      const refused: string[] = []
      for (const route of allRoutes()) {
        // Every key is refused on routes for people.
        if (route.access === 'public' || route.tag === 'accounts') continue
        const path = mountedPaths(route)
          .at(-1)!
          .replaceAll(/\{\w+\}/g, uuid7())
        const answer = await app.fetch(path, { method: route.method, headers: { 'x-api-key': keys[role] } })
        await answer.arrayBuffer()
        if (answer.status === 403) refused.push(`${route.method} ${route.path}`)
      }
      const needs = ['admin', 'server-admin', ...(role === 'viewer' ? ['write'] : [])]
      const expected = allRoutes().filter(({ access }) => needs.includes(access))
      expect(new Set(refused)).toEqual(new Set(expected.map(({ method, path }) => `${method} ${path}`)))
    }
  })

  it('rejects a new key with more rights than its maker', async () => {
    const as = async (role: Role, of = key) =>
      app.call(contract.apiKeys.create, { body: { role, description: `a ${role}` }, ...withKey(of) })
    const member = (await as('member')).body
    expect(member).toMatchObject({ role: 'member', read_only: false, created_by_name: 'first' })
    expect((await as('admin', member.key)).status).toBe(403)
    const inherited = await app.call(contract.apiKeys.create, { body: {}, ...withKey(member.key) })
    expect(inherited.body.role).toBe('member')
    const contradiction = { role: 'member', read_only: true }
    expect((await app.call(contract.apiKeys.create, { body: contradiction, ...withKey(key) })).status).toBe(400)
  })

  it('lets members revoke their own keys, and admins all keys', async () => {
    const make = async (role: Role, of = key) =>
      (await app.call(contract.apiKeys.create, { body: { role }, ...withKey(of) })).body
    const revoke = async (id: string, by: string) =>
      (await app.call(contract.apiKeys.revoke, { params: { id }, ...withKey(by) })).status
    const member = await make('member')
    const [own, foreign, toAdmin] = [
      await make('viewer', member.key),
      await make('viewer'),
      await make('member', member.key),
    ]
    expect(await revoke(own.id, member.key)).toBe(200)
    expect(await revoke(foreign.id, member.key)).toBe(403)
    expect(await revoke(toAdmin.id, key)).toBe(200)
    expect(await revoke(member.id, member.key)).toBe(200)
  })

  it('returns a key once, and stores its hash, last use and end', async () => {
    const made = await app.call(contract.apiKeys.create, { body: { description: 'shown once' }, ...withKey(key) })
    expect(made.body.key).toMatch(/^ts_[0-9A-Za-z]{40}$/)
    await settings({ 'x-api-key': made.body.key })
    const list = await app.call(contract.apiKeys.list, withKey(key))
    expect(list.text).not.toContain(made.body.key)
    const listed = list.body.find(({ id }) => id === made.body.id)
    expect(listed).toMatchObject({ description: 'shown once', short_key: expect.stringContaining('...') })
    await expect
      .poll(async () => {
        const { body } = await app.call(contract.apiKeys.list, withKey(key))
        return body.find(({ id }) => id === made.body.id)?.last_used_at
      })
      .toMatch(/^\d{4}-.*Z$/)
  })

  it('rejects a key from the moment it is revoked', async () => {
    const { body } = await app.call(contract.apiKeys.create, { body: {}, ...withKey(key) })
    expect((await settings({ 'x-api-key': body.key })).status).toBe(200)
    expect((await app.call(contract.apiKeys.revoke, { params: { id: body.id }, ...withKey(key) })).status).toBe(200)
    expect((await settings({ 'x-api-key': body.key })).status).toBe(401)
    expect((await app.call(contract.apiKeys.revoke, { params: { id: body.id }, ...withKey(key) })).status).toBe(404)
  })
})

describe('the access of routes', () => {
  const routes = allRoutes().map((route) => ({ ...route, name: `${route.method} ${route.path}` }))
  const namesOf = (access: string) => routes.filter((route) => route.access === access).map(({ name }) => name)

  it('lets viewers only read and manage their own account', () => {
    const changing = namesOf('key').filter((name) => !name.startsWith('GET '))
    expect([...new Set(changing)].sort()).toEqual([...READING_POSTS, ...OF_ONES_OWN].sort())
  })

  it('limits routes that affect other people to admins', () => {
    expect(namesOf('admin').sort()).toEqual([...FOR_ADMINS].sort())
  })

  it('limits routes that affect all workspaces to server administrators', () => {
    expect(namesOf('server-admin').sort()).toEqual([...FOR_SERVER_ADMINS].sort())
  })
})

describe('a server that had a key', () => {
  it('stays closed after the key has expired and its row is deleted', async () => {
    let now = Date.UTC(2026, 0, 1)
    const app = await startApp({ clock: () => now })
    const expires_at = '2026-01-01T00:01:00.000000Z'
    const { key } = (await app.call(contract.apiKeys.create, { body: { expires_at } })).body
    const statuses = async (headers: Record<string, string> = {}) => [
      (await app.call(contract.workspaces.settings, { headers })).status,
      await statusWith(app, '/metrics', headers),
      await statusWith(app, '/openapi.json', headers),
    ]
    expect(await statuses({ 'x-api-key': key })).toEqual([200, 200, 200])
    now += 61_000
    expect(await statuses({ 'x-api-key': key })).toEqual([401, 401, 401])
    expect(await statuses()).toEqual([401, 401, 401])
    expect((await app.call(contract.accounts.state)).body).toMatchObject({ is_open: false, can_set_up: false })

    await app.deps.relational.db.execute('delete from api_keys')
    expect(await new Keyring(app.deps).isSetUp()).toBe(true)
    await app.close()
  })
})

describe('a keyring', () => {
  it('sees changes of other processes within five seconds, and expiry immediately', async () => {
    let now = Date.UTC(2026, 0, 1)
    const app = await startApp({ clock: () => now })
    const tenantId = (await app.call(contract.workspaces.settings)).body.id
    const keyring = new Keyring(app.deps)
    expect(await keyring.isSetUp()).toBe(false)
    const expires_at = '2026-01-01T00:01:00.000000Z'
    const { key } = await createKey(app.deps, aCaller(tenantId), { expires_at })
    expect(await keyring.isSetUp()).toBe(false)
    now += 5_000
    expect(await keyring.isSetUp()).toBe(true)
    expect(await keyring.find(key)).toMatchObject({ tenant_id: tenantId })
    now = Date.UTC(2026, 0, 1, 0, 1)
    expect(await keyring.find(key)).toBeUndefined()
    await app.close()
  })

  it('sees them as soon when the clock is set back', async () => {
    let now = Date.UTC(2026, 0, 1)
    const app = await startApp({ clock: () => now })
    const tenantId = (await app.call(contract.workspaces.settings)).body.id
    const keyring = new Keyring(app.deps)
    const { key } = await createKey(app.deps, aCaller(tenantId), {})
    expect(await keyring.find(key)).toMatchObject({ tenant_id: tenantId })
    now -= 3_600_000
    expect(await keyring.find(key)).toMatchObject({ tenant_id: tenantId })
    // Another process removes it.
    await app.deps.relational.db.execute('delete from api_keys')
    now += 5_000
    expect(await keyring.find(key)).toBeUndefined()
    await app.close()
  })
})
