import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inParallel, type RawRequest, rawRequest } from './support/raw-request.ts'
import { startTeam, type Team } from './support/start-team.ts'

/** In the name of a project; no answer to a caller without a credential may hold it. */
const CANARY = 'canary-3f1c'

/** Routes that read, list, decide about others and change, with every family among them. */
const TARGETS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/sessions'],
  ['GET', '/sessions'],
  ['GET', '/api/v1/api-key'],
  ['GET', '/api/v1/workspaces/current/invites'],
  ['GET', '/api/v1/settings'],
  ['POST', '/api/v1/api-key'],
  ['POST', '/api/v1/runs/query'],
  ['POST', '/api/v2/runs/query'],
  ['DELETE', '/api/v1/workspaces/current/shared'],
  ['GET', '/api/v1/platform/annotation-queues/0197d4a2-0000-7000-8000-000000000000/items'],
]

/** Not the one that a path starts with, without which a request is not HTTP. */
const LAST_SLASH = /(?<=.)\/(?=[^/]+$)/

/** Other spellings of a path that a check of prefixes could miss while a router finds its route. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'a slash at the end': (path) => `${path}/`,
  'two slashes at the end': (path) => `${path}//`,
  'two slashes at the start': (path) => `/${path}`,
  'two slashes inside': (path) => path.replace(LAST_SLASH, '//'),
  'a dot segment': (path) => path.replace(LAST_SLASH, '/./'),
  'an encoded dot segment': (path) => path.replace(LAST_SLASH, '/%2e/'),
  'a parent of a public path': (path) => `/ok/..${path}`,
  'an encoded parent of a public path': (path) => `/ok/%2e%2e${path}`,
  'a parent with a semicolon': (path) => `/ok/..;${path}`,
  'an encoded slash': (path) => path.replace(LAST_SLASH, '%2f'),
  'a backslash': (path) => path.replace(LAST_SLASH, '\\'),
  'an encoded backslash': (path) => path.replace(LAST_SLASH, '%5c'),
  capitals: (path) => path.toUpperCase(),
  'an encoded letter': (path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'a letter encoded twice': (path) =>
    path.replace(/[a-z](?=[^/]*$)/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
  'an encoded NUL at the end': (path) => `${path}%00`,
  'an encoded line break at the end': (path) => `${path}%0d%0a`,
  'an overlong slash': (path) => path.replace(LAST_SLASH, '%c0%af'),
  'a path parameter': (path) => `${path};access=public`,
  'a file extension': (path) => `${path}.json`,
  'a fragment': (path) => `${path}#/ok`,
  'a query that names a public path': (path) => `${path}?path=/ok&access=public`,
  'an absolute URL': (path) => `http://127.0.0.1${path}`,
  'an absolute URL with a user': (path) => `http://admin@127.0.0.1${path}`,
}

/** Headers by which proxies and frameworks replace the method, the path or the caller. */
const OVERRIDES: readonly Readonly<Record<string, string>>[] = [
  { 'x-http-method-override': 'GET' },
  { 'x-http-method': 'GET' },
  { 'x-method-override': 'OPTIONS' },
  { 'x-original-url': '/ok' },
  { 'x-rewrite-url': '/ok' },
  { 'x-forwarded-prefix': '/public' },
  { 'x-forwarded-user': 'admin@team.example' },
  { 'x-remote-user': 'admin@team.example' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-real-ip': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1;host=localhost' },
  { host: 'localhost' },
  { 'x-tenant-id': '00000000-0000-0000-0000-000000000000' },
  { authorization: 'Basic YWRtaW46YWRtaW4=' },
  { authorization: 'Bearer null' },
  { authorization: 'Bearer' },
  { 'x-api-key': '' },
  { 'x-api-key': 'undefined' },
]

describe('a closed server, asked without a credential', () => {
  let team: Team
  beforeAll(async () => {
    team = await startTeam()
    await team.call('POST', '/sessions', { name: CANARY })
  })
  afterAll(() => team?.server.stop())

  /** What let the caller in, or showed the name of the project. */
  async function findAnswering(requests: readonly RawRequest[]): Promise<string[]> {
    const lines = await inParallel(requests, 8, async (request) => {
      const { status, headers, text } = await rawRequest(team.url, request)
      const isRefused = status >= 400 && status < 500
      // The pages of the UI are the same for everybody.
      const isPage = status === 200 && /^text\/html/.test(headers['content-type'] ?? '')
      if ((isRefused || isPage) && !text.includes(CANARY)) return undefined
      return `${request.method} ${request.path} ${JSON.stringify(request.headers ?? {})}: ${status} ${text.slice(0, 200)}`
    })
    return lines.filter((line) => line !== undefined)
  }

  it.each(Object.entries(SPELLINGS))('refuses paths with %s', async (_name, spell) => {
    expect(await findAnswering(TARGETS.map(([method, path]) => ({ method, path: spell(path) })))).toEqual([])
  })

  it('refuses headers that name another method, path or caller', async () => {
    const requests = OVERRIDES.flatMap((headers) => TARGETS.map(([method, path]) => ({ method, path, headers })))
    expect(await findAnswering(requests)).toEqual([])
  })

  it.each(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'SEARCH', 'QUERY', 'M-SEARCH', 'LINK'])(
    'answers %s with a refusal and without an echo of the request',
    async (method) => {
      for (const [, path] of TARGETS) {
        const answer = await rawRequest(team.url, { method, path, headers: { 'x-secret': CANARY } }).catch(
          () => undefined,
        )
        // A connection that is closed, as CONNECT gets, is a refusal too.
        if (answer === undefined) continue
        expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status >= 400 && status < 500) })
        expect(answer.text).not.toContain(CANARY)
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    },
  )

  it('serves no file beside those of the UI', async () => {
    const climbs = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..\\', '..%5c', '%252e%252e%252f', '..%c0%af', '....//']
    const starts = ['/', '/assets/', '/public/schemas/v1/', '/api/v1/blobs/', '/api/v1/jobs/downloads/']
    const files = ['etc/passwd', 'package.json', 'main.js', 'relational/PG_VERSION']
    const paths = starts.flatMap((start) =>
      climbs.flatMap((climb) => files.map((file) => `${start}${climb.repeat(6)}${file}`)),
    )
    const answers = await inParallel(paths, 8, async (path) => {
      const { status, headers, text } = await rawRequest(team.url, { path, headers: { accept: '*/*' } })
      const isPage = status === 200 && /^text\/html/.test(headers['content-type'] ?? '') && text.includes('id="root"')
      return (status >= 400 && status < 500) || isPage ? undefined : `${path}: ${status} ${text.slice(0, 100)}`
    })
    expect(answers.filter((line) => line !== undefined)).toEqual([])
  })

  it('and after all that answers its admin', async () => {
    expect(JSON.stringify(await team.call('GET', '/api/v1/sessions'))).toContain(CANARY)
  })
})
