import { request as httpRequest } from 'node:http'
import { allRoutes, contract, mountedPaths, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { createKey, Keyring } from './index.ts'

/** Everything that answers without a key. A route is added here on purpose or not at all. */
const PUBLIC = [
  'GET /info',
  'GET /info/health',
  'GET /ok',
  'GET /blobs/{token}',
  'GET /metrics',
  'GET /feedback/tokens/{token}',
  'POST /feedback/tokens/{token}',
  'GET /openapi.json',
  'GET /public/datasets/sessions-bulk',
  'GET /public/{share_token}/datasets',
  'GET /public/{share_token}/datasets/comparative',
  'GET /public/{share_token}/datasets/feedback',
  'GET /public/{share_token}/datasets/runs/{run_id}',
  'GET /public/{share_token}/datasets/sessions',
  'GET /public/{share_token}/examples',
  'GET /public/{share_token}/examples/count',
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
  'GET /public/schemas/{version}/{file}',
  'POST /public/{share_token}/runs/query', // v1 and v2 alike
  // Public prompts; of others, and of `-`, they tell nothing.
  'GET /comments/{owner}/{repo}',
  'GET /comments/{owner}/{repo}/{comment_id}',
  'GET /commits/{owner}/{repo}',
  'GET /commits/{owner}/{repo}/{commit}',
  'GET /hub/repos/{owner}/{repo}/directories',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/tags',
  'GET /repos/{owner}/{repo}/tags/{tag_name}',
  'GET /repos/{owner}/{repo}/tags/{tag_name}/history',
]

/** `fetch` refuses to set Host. */
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

describe('an open server', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it('takes any key or none', async () => {
    expect((await app.call(contract.workspaces.settings)).status).toBe(200)
    expect((await app.call(contract.workspaces.settings, { headers: { 'x-api-key': 'whatever' } })).status).toBe(200)
  })

  it.each(['localhost:3000', '127.0.0.1', '[::1]:80', 'app.localhost'])('answers to the name %s', async (host) => {
    expect(await statusWith(app, '/settings', { host })).toBe(200)
  })

  it.each(['evil.example', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.evil.example'])(
    'does not answer to the name %s',
    async (host) => {
      expect(await statusWith(app, '/settings', { host })).toBe(403)
      expect(await statusWith(app, '/info', { host })).toBe(200)
    },
  )

  it('refuses pages of other origins, and lets those of this machine in', async () => {
    expect(await statusWith(app, '/settings', { origin: 'https://evil.example' })).toBe(403)
    expect(await statusWith(app, '/settings', { origin: 'null' })).toBe(403)
    expect(await statusWith(app, '/settings', { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await statusWith(app, '/runs', { origin: 'https://evil.example' }, 'POST')).toBe(403)
    expect(await statusWith(app, '/settings', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' })).toBe(
      200,
    )
  })

  it('answers preflights of public routes alone', async () => {
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

  it('answers nothing without a key but what is on the list', async () => {
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

  it('mounts every route of the contract, and nothing beside it', async () => {
    const known = new Set(allRoutes().flatMap((route) => mountedPaths(route).map((path) => `${route.method} ${path}`)))
    expect(app.mounted.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...known].sort())
  })

  it('says 401 as the clients expect it', async () => {
    const answer = await settings({ 'x-api-key': 'ts_wrong' })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ detail: 'Invalid token' })
  })

  it('takes a key in either header', async () => {
    expect((await settings({ 'x-api-key': key })).status).toBe(200)
    expect((await settings({ authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await settings({ 'x-api-key': key, origin: 'https://any.example' })).status).toBe(200)
  })

  it('refuses a header that names another workspace', async () => {
    const { body } = await settings({ 'x-api-key': key })
    expect((await settings({ 'x-api-key': key, 'x-tenant-id': body.id.toUpperCase() })).status).toBe(200)
    expect((await settings({ 'x-api-key': key, 'x-tenant-id': uuid7() })).status).toBe(403)
  })

  it('lets a read-only key read', async () => {
    const { body } = await app.call(contract.apiKeys.create, { body: { read_only: true }, ...withKey(key) })
    expect((await app.call(contract.projects.list, withKey(body.key))).status).toBe(200)
    expect((await app.call(contract.projects.create, { body: { name: 'x' }, ...withKey(body.key) })).status).toBe(403)
    expect((await app.call(contract.runs.create, { body: {}, ...withKey(body.key) })).status).toBe(403)
  })

  it('shows a key once, keeps its hash, its last use and its end', async () => {
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

  it('refuses a key from the moment it is revoked', async () => {
    const { body } = await app.call(contract.apiKeys.create, { body: {}, ...withKey(key) })
    expect((await settings({ 'x-api-key': body.key })).status).toBe(200)
    expect((await app.call(contract.apiKeys.revoke, { params: { id: body.id }, ...withKey(key) })).status).toBe(200)
    expect((await settings({ 'x-api-key': body.key })).status).toBe(401)
    expect((await app.call(contract.apiKeys.revoke, { params: { id: body.id }, ...withKey(key) })).status).toBe(404)
  })
})

describe('a keyring', () => {
  it('follows other processes within five seconds, and the clock', async () => {
    let now = Date.UTC(2026, 0, 1)
    const app = await startApp({ clock: () => now })
    const tenantId = (await app.call(contract.workspaces.settings)).body.id
    const keyring = new Keyring(app.deps)
    expect(await keyring.isClosed()).toBe(false)
    const expires_at = '2026-01-01T00:01:00.000000Z'
    const { key } = await createKey(app.deps, tenantId, { expires_at })
    expect(await keyring.isClosed()).toBe(false)
    now += 5_000
    expect(await keyring.isClosed()).toBe(true)
    expect(await keyring.find(key)).toMatchObject({ tenant_id: tenantId })
    now = Date.UTC(2026, 0, 1, 0, 1)
    expect(await keyring.find(key)).toBeUndefined()
    await app.close()
  })
})
