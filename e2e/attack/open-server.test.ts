import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { sendRaw, statusOf } from './raw-request.ts'

const ADA = { email: 'ada@example.org', password: 'correct horse', workspace_name: 'Acme', project_name: 'bot' }
const PROXIED = { 'x-forwarded-for': '203.0.113.9' }
const NOT_PUBLIC = ['/api/v1/sessions', '/api/v1/api-key', '/metrics', '/openapi.json', '/auth/me']

const codeOf = (server: StartedServer) => /\/setup#(\S+)/.exec(server.output())![1]!

async function statusOfGet(server: StartedServer, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(server.url + path, { headers })
  await answer.arrayBuffer()
  return answer.status
}

async function makeKey(server: StartedServer, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${server.url}/api-key`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as { id: string; key: string }
}

const setUp = (server: StartedServer, body: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/auth/setup`, { method: 'POST', headers, body: JSON.stringify({ ...ADA, ...body }) })

const readState = async (server: StartedServer, headers: Record<string, string> = {}) =>
  (await (await fetch(`${server.url}/auth/state`, { headers })).json()) as Record<string, boolean>

describe('B6: an open server on loopback', () => {
  let server: StartedServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  it('lets programs of its own machine in', async () => {
    for (const path of NOT_PUBLIC) expect(await statusOfGet(server, path), path).toBe(200)
    expect(await readState(server)).toMatchObject({ is_open: true, can_set_up: true, needs_setup_code: false })
  })

  it.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-host', 'traces.example.org'],
    ['forwarded', 'for=203.0.113.9'],
    ['x-real-ip', '203.0.113.9'],
    ['via', '1.1 proxy'],
    ['cf-connecting-ip', '203.0.113.9'],
  ])('refuses what comes through a proxy, known by %s', async (name, value) => {
    for (const path of NOT_PUBLIC) expect(await statusOfGet(server, path, { [name]: value }), path).toBe(401)
    const writing = await fetch(`${server.url}/api-key`, {
      method: 'POST',
      headers: { [name]: value },
      body: JSON.stringify({ role: 'admin' }),
    })
    expect(writing.status).toBe(401)
    expect(((await writing.json()) as { detail: string }).detail).toMatch(/proxy.*\/setup.*code/)
    for (const path of ['/ok', '/info', '/auth/state']) {
      expect(await statusOfGet(server, path, { [name]: value }), path).toBe(200)
    }
  })

  it('refuses HTTP/1.0, which nginx speaks without further settings, and the Host that nginx then sends', async () => {
    const { host } = new URL(server.url)
    for (const path of NOT_PUBLIC) {
      expect(statusOf(await sendRaw(server.url, [`GET ${path} HTTP/1.0`, `host: ${host}`])), path).toBe(401)
    }
  })

  it('asks for the code that it printed when it is set up through a proxy', async () => {
    expect(await readState(server, PROXIED)).toMatchObject({ is_open: false, can_set_up: true, needs_setup_code: true })
    expect((await setUp(server, {}, PROXIED)).status).toBe(403)
    expect((await setUp(server, { code: 'guessed' }, PROXIED)).status).toBe(403)
    expect((await readState(server)).can_set_up).toBe(true)
  })
})

describe('B6: a server that had a key', () => {
  it('stays closed, also after a restart, and is set up again with a code', async () => {
    const first = await startServer()
    const { dataDir } = first
    const admin = await makeKey(first, { description: 'first', role: 'admin' })
    const asAdmin = { 'x-api-key': admin.key }
    const viewer = await makeKey(first, { role: 'viewer' }, asAdmin)
    const member = await makeKey(first, { role: 'member' }, asAdmin)
    for (const path of ['/metrics', '/openapi.json']) {
      expect(await statusOfGet(first, path), path).toBe(401)
      expect(await statusOfGet(first, path, { authorization: `Bearer ${viewer.key}` }), path).toBe(200)
    }

    // The last key that is revoked is a member's, by that member.
    for (const [id, by] of [
      [viewer.id, admin.key],
      [admin.id, admin.key],
      [member.id, member.key],
    ]) {
      const revoked = await fetch(`${first.url}/api-key/${id}`, { method: 'DELETE', headers: { 'x-api-key': by! } })
      expect([200, 401]).toContain(revoked.status)
    }
    for (const path of NOT_PUBLIC) expect(await statusOfGet(first, path), path).toBe(401)
    expect((await setUp(first, {})).status).toBe(403)
    await first.kill()

    const again = await startServer({ dataDir })
    for (const path of NOT_PUBLIC) expect(await statusOfGet(again, path), path).toBe(401)
    expect(await readState(again)).toMatchObject({ is_open: false, can_set_up: true, needs_setup_code: true })
    expect((await setUp(again, {})).status).toBe(403)
    expect((await setUp(again, { code: codeOf(again) })).status).toBe(200)
    expect((await setUp(again, { code: codeOf(again) })).status).toBe(403)
    await again.stop()
  })
})

describe('B6: a server on loopback with a public URL of another host', () => {
  it('grants no access before it is set up with the printed code', async () => {
    const server = await startServer({ env: { TOUCHSTONE_PUBLIC_URL: 'https://traces.example.org' } })
    const { host } = new URL(server.url)
    for (const path of NOT_PUBLIC) {
      expect(await statusOfGet(server, path), path).toBe(401)
      expect(await statusOfGet(server, path, PROXIED), path).toBe(401)
      expect(statusOf(await sendRaw(server.url, [`GET ${path} HTTP/1.0`, `host: ${host}`])), path).toBe(401)
    }
    expect(await readState(server)).toMatchObject({ is_open: false, can_set_up: true, needs_setup_code: true })
    expect((await setUp(server, {})).status).toBe(403)
    const done = await setUp(server, { code: codeOf(server) }, PROXIED)
    expect(done.status).toBe(200)
    expect(done.headers.getSetCookie().every((cookie) => cookie.endsWith('; Secure'))).toBe(true)
    const { key } = (await done.json()) as { key: string }
    expect(await statusOfGet(server, '/api/v1/sessions', { 'x-api-key': key, ...PROXIED })).toBe(200)
    await server.stop()
  })
})
