import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { rawJson, rawRequest } from './support/raw-request.ts'
import { type Headers, startTeam, type Team } from './support/start-team.ts'

/** Names that a web page could have pointed at 127.0.0.1, and other spellings of hosts. */
const FOREIGN_HOSTS = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'localhost:80@evil.example',
  'evil.example#localhost',
  'evil.example/localhost',
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  'xn--localhost-.example',
  'localhost.',
  '0.0.0.0',
  '10.0.0.1',
  '192.168.1.10',
  '169.254.169.254',
  '128.0.0.1',
  '2130706433.example',
  '[::]',
  '[fe80::1]',
  '[::ffff:10.0.0.1]',
  'localhost evil.example',
  'local host',
  '*',
]

const FOREIGN_ORIGINS = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://evil.example:80',
  'http://localhost@evil.example',
  'null',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'https://xn--lcalhost-2yb.example',
  'garbage',
]

describe('an open server', () => {
  let server: StartedServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server?.stop())

  it.each(FOREIGN_HOSTS)('answers nothing of its data under the host %s', async (host) => {
    const { status, headers } = await rawRequest(server.url, { path: '/api/v1/sessions', headers: { host } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(FOREIGN_ORIGINS)('answers nothing of its data to a page of %s, and no preflight', async (origin) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await rawRequest(server.url, { method, path: '/api/v1/sessions', headers: { origin } })
      expect({ method, status: answer.status }).toEqual({ method, status: 403 })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    const preflight = await rawRequest(server.url, {
      method: 'OPTIONS',
      path: '/api/v1/sessions',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
    })
    expect(preflight.status).toBeGreaterThanOrEqual(400)
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['cross-site', 'Cross-Site'])('takes no form of another site without an Origin: %s', async (site) => {
    const headers = { 'sec-fetch-site': site.toLowerCase(), 'content-type': 'text/plain' }
    const answer = await rawJson(server.url, 'POST', '/api/v1/sessions', { name: 'by a form' }, headers)
    expect(answer.status).toBe(403)
  })

  it('is not set up by a page of another site', async () => {
    const body = { email: 'eve@evil.example', password: 'evil password', workspace_name: 'Evil', project_name: 'evil' }
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await rawJson(server.url, 'POST', '/api/v1/auth/setup', body, headers as Headers)
      expect(answer.status).toBe(403)
    }
  })
})

describe('a sign-in', () => {
  let team: Team
  let cookie: string
  beforeAll(async () => {
    team = await startTeam()
    cookie = (await team.signIn('admin')).cookie!
  })
  afterAll(() => team?.server.stop())

  const change = (headers: Headers, method = 'POST', path = '/api/v1/sessions') =>
    rawJson(team.url, method, path, { name: crypto.randomUUID() }, { cookie, ...headers })

  it('changes something from a page of this server', async () => {
    expect((await change({ origin: team.url })).status).toBe(200)
  })

  it.each(FOREIGN_ORIGINS)('changes and reads nothing from a page of %s', async (origin) => {
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? '/api/v1/sessions' : `/api/v1/sessions/${crypto.randomUUID()}`
      expect((await change({ origin }, method, path)).status).toBe(403)
    }
    const read = await rawRequest(team.url, { path: '/api/v1/sessions', headers: { cookie, origin } })
    expect(read.status).toBe(403)
    expect(read.headers['access-control-allow-origin']).toBeUndefined()
    expect(read.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it.each([
    ['no Origin', {}],
    ['a cross-site form', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a neighboring site', { 'sec-fetch-site': 'same-site' }],
    ['a form of plain text', { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }],
    ['a form with fields', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a page on another port', { origin: 'http://127.0.0.1:1' }],
  ] as const)('changes nothing by a request with %s', async (_name, headers) => {
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const path = method === 'POST' ? '/api/v1/sessions' : `/api/v1/sessions/${crypto.randomUUID()}`
      expect((await change(headers, method, path)).status).toBe(403)
    }
  })

  it('cannot be made by a page of another site, which would sign a person in to another account', async () => {
    const { email, password } = team.people.viewer
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await rawJson(team.url, 'POST', '/api/v1/auth/login', { email, password }, headers as Headers)
      expect(answer.status).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })
})
