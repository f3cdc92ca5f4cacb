import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedServer, startServer } from '../support/start-server.ts'

const PASSWORD = 'correct horse'

interface Answer<Body> {
  readonly status: number
  readonly body: Body
}

/** As whom a request is sent: by a cookie, with a page's Origin, or by a key; for one workspace, where it is named. */
interface As {
  cookie?: string
  key?: string
  tenant?: string
}

interface Key {
  id: string
  key: string
}

let server: StartedServer
let admin: As
beforeAll(async () => {
  server = await startServer()
  const body = { email: 'ada@example.org', password: PASSWORD, workspace_name: 'Acme', project_name: 'p' }
  admin = { cookie: await cookieOf('/auth/setup', body) }
})
afterAll(() => server?.stop())

async function send(method: string, path: string, as: As, body?: object): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      origin: server.url,
      ...(as.cookie !== undefined && { cookie: as.cookie }),
      ...(as.key !== undefined && { 'x-api-key': as.key }),
      ...(as.tenant !== undefined && { 'x-tenant-id': as.tenant }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

async function call<Body = unknown>(method: string, path: string, as: As, body?: object): Promise<Answer<Body>> {
  const response = await send(method, path, as, body)
  const text = await response.text()
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body }
}

async function cookieOf(path: string, body: object): Promise<string> {
  const response = await send('POST', path, {}, body)
  const given = response.headers.getSetCookie()[0]?.split(';')[0]
  expect(given, await response.text()).toBeDefined()
  return given!
}

const statusOf = async (as: As) => (await call('GET', '/settings', as)).status
const writes = async (as: As) => (await call('POST', '/sessions', as, { name: crypto.randomUUID() })).status
const makeKey = async (as: As, body: object = {}) => (await call<Key>('POST', '/api-key', as, body)).body
const makeInvite = async (as: As, role = 'admin') =>
  (await call<{ id: string; token: string }>('POST', '/workspaces/current/invites', as, { role })).body

let joined = 0
async function join(role: string, tenant?: string): Promise<{ as: As; id: string; email: string }> {
  const { token } = await makeInvite(tenant === undefined ? admin : { ...admin, tenant }, role)
  const email = `person-${++joined}@example.org`
  const as = { cookie: await cookieOf(`/auth/invites/${token}`, { email, password: PASSWORD }) }
  return { as, id: (await call<{ id: string }>('GET', '/auth/me', as)).body.id, email }
}

const accept = (token: string) =>
  call('POST', `/auth/invites/${token}`, {}, { email: `evil-${++joined}@example.org`, password: PASSWORD })

const remove = (id: string, query = '') => call('DELETE', `/workspaces/current/members/${id}${query}`, admin)
const setRole = (id: string, role: string) => call('PATCH', `/workspaces/current/members/${id}`, admin, { role })

describe('B4: removing an admin removes their power', () => {
  it('ends keys made by their keys, and invites made by them or by any of these keys', async () => {
    const { as, id } = await join('admin')
    const child = await makeKey(as, { role: 'admin' })
    const grandchild = await makeKey({ key: child.key }, { role: 'admin' })
    const great = await makeKey({ key: grandchild.key }, { role: 'admin' })
    const invites = [await makeInvite(as), await makeInvite({ key: child.key }), await makeInvite({ key: great.key })]
    expect((await remove(id, '?revoke_keys=true')).status).toBe(200)
    expect(await statusOf(as)).toBe(401)
    for (const { key } of [child, grandchild, great]) expect(await statusOf({ key })).toBe(401)
    for (const { token } of invites) expect((await accept(token)).status).toBe(404)
  })

  it('ends what a revoked key has made', async () => {
    const parent = await makeKey(admin, { role: 'admin' })
    const child = await makeKey({ key: parent.key })
    const grandchild = await makeKey({ key: child.key })
    const { token } = await makeInvite({ key: grandchild.key })
    expect((await call('DELETE', `/api-key/${parent.id}`, admin)).status).toBe(200)
    for (const { key } of [parent, child, grandchild]) expect(await statusOf({ key })).toBe(401)
    expect((await accept(token)).status).toBe(404)
  })

  it('gives nothing that a key makes a longer life than its own', async () => {
    const ends = Date.now() + 3_000
    const parent = await makeKey(admin, { role: 'admin', expires_at: new Date(ends).toISOString() })
    const later = { expires_at: new Date(ends + 3_600_000).toISOString() }
    expect((await call('POST', '/api-key', { key: parent.key }, later)).status).toBe(400)
    const child = await makeKey({ key: parent.key })
    const { token } = await makeInvite({ key: parent.key })
    await expect.poll(() => statusOf({ key: child.key })).toBe(401)
    expect((await accept(token)).status).toBe(404)
    expect(Date.now()).toBeGreaterThanOrEqual(ends)
  })
})

describe('B9: defaults of removal, and demotion', () => {
  it('revokes the keys of a removed person unless they are kept on purpose', async () => {
    const [gone, kept] = [await join('admin'), await join('admin')]
    const keys = [await makeKey(gone.as), await makeKey(kept.as)]
    const { token } = await makeInvite(kept.as)
    await remove(gone.id)
    await remove(kept.id, '?revoke_keys=false')
    expect([await statusOf({ key: keys[0]!.key }), await statusOf({ key: keys[1]!.key })]).toEqual([401, 200])
    expect((await accept(token)).status).toBe(404)
  })

  it('bounds the keys and invites of a demoted person at once', async () => {
    const { as, id } = await join('admin')
    const key = { key: (await makeKey(as)).key }
    const child = { key: (await makeKey(key)).key }
    const { token } = await makeInvite(child)
    expect([await writes(key), await writes(child)]).toEqual([200, 200])
    await setRole(id, 'viewer')
    expect([await writes(as), await writes(key), await writes(child)]).toEqual([403, 403, 403])
    expect((await call('POST', '/workspaces/current/invites', child, {})).status).toBe(403)
    const accepted = await accept(token)
    expect(accepted).toMatchObject({ status: 200, body: { role: 'viewer' } })
    await remove(id, '?revoke_keys=false')
    expect([await statusOf(key), await writes(key)]).toEqual([200, 403])
  })
})

describe('power in one workspace is none in another', () => {
  it('keeps roles, keys, invites and members of two workspaces apart', async () => {
    const made = await call<{ id: string }>('POST', '/workspaces', admin, { display_name: 'Second' })
    const second = made.body.id
    const outsider = await join('admin')
    const first = (await call<{ tenant_id: string }>('GET', '/auth/me', outsider.as)).body.tenant_id
    expect(await statusOf({ ...outsider.as, tenant: second })).toBe(403)
    expect((await call('PATCH', `/workspaces/${second}`, outsider.as, { display_name: 'Mine' })).status).toBe(404)

    const { token } = await makeInvite({ ...admin, tenant: second }, 'viewer')
    expect((await call('POST', `/auth/invites/${token}/join`, outsider.as)).status).toBe(200)
    expect(await statusOf({ ...outsider.as, tenant: second })).toBe(200)
    expect(await writes({ ...outsider.as, tenant: second })).toBe(403)
    expect((await call('POST', '/api-key', { ...outsider.as, tenant: second }, {})).status).toBe(403)
    const rename = { display_name: 'Mine' }
    expect((await call('PATCH', `/workspaces/${second}`, outsider.as, rename)).status).toBe(403)

    const inSecond = { ...admin, tenant: second }
    const key = await makeKey(inSecond)
    const inFirst = { ...outsider.as, tenant: first }
    expect((await call('DELETE', `/api-key/${key.id}`, inFirst)).status).toBe(404)
    expect(await statusOf({ key: key.key, tenant: second })).toBe(200)
    expect((await call('POST', '/workspaces', { key: key.key }, { display_name: 'Third' })).status).toBe(403)
    expect((await call('DELETE', `/workspaces/current/members/${outsider.id}`, inSecond)).status).toBe(200)
    expect(await statusOf({ ...outsider.as, tenant: second })).toBe(403)
    expect(await statusOf(outsider.as)).toBe(200)
  })
})
