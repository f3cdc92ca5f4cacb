import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallableRoute, callableRoutes, generateRequest, textFields } from './support/generate-requests.ts'
import { inParallel, rawJson, rawRequest } from './support/raw-request.ts'
import { startTeam, type Team } from './support/start-team.ts'

/** What ends a string or starts a statement in PostgreSQL, ClickHouse, a filter, JSON, a shell, a header or a template. */
const CORPUS: readonly string[] = [
  `' or '1'='1`,
  `'; drop table runs; --`,
  `" union select * from api_keys --`,
  `\\'; select pg_sleep(30); --`,
  `')) or sleepEachRow(3)=0 --`,
  `1; select * from url('http://127.0.0.1:9/x', 'CSV', 'a String')`,
  `{p0:String} {name:Identifier} $1 ? :name @x`,
  `$$; select 1; $$`,
  `eq(name, "a")) or (1=1`,
  `eq(name, "\\")`,
  `and(eq(status, "error"), not(`,
  `has(metadata, '{"a": "'||version()||'"}')`,
  `%' escape '\\`,
  `%_\\%`,
  `/* */ /*!50000 select */`,
  `__proto__`,
  `constructor.prototype.polluted`,
  `{"__proto__": {"polluted": true}}`,
  `../../../../etc/passwd`,
  `file:///etc/passwd`,
  `\r\nSet-Cookie: a=b`,
  `\ud800`,
  `\u202e\ufeff\u2028`,
  `{{7*7}}\${7*7}<%= 7*7 %>`,
  `$(sleep 30)\`sleep 30\``,
  `9223372036854775808`,
  `-0`,
  `1e309`,
  `NaN`,
  `0000-00-00T00:00:00Z`,
  `9999999-01-01`,
  `[[[[[[[[`,
  `(((((a+)+)+)+)+)$`,
  'x'.repeat(10_000),
]

/** Words of the engines and of our own code, which belong in the log. */
const ENGINE_TEXT =
  /DB::|Code: \d+\.|ClickHouse|chDB|PGlite|drizzle|Failed query|syntax error at or near|relation "|column "\w+" (of|does)|violates|SQLSTATE|invalid input syntax|unterminated|Aborted\(|TypeError|ReferenceError|RangeError|SyntaxError: |node_modules|\.(js|ts|mjs):\d+/

interface Probe {
  readonly called: CallableRoute
  readonly name: string
  readonly place: string
  readonly text: string
}

/** Each text field of each route twice: with NUL, which no text of PostgreSQL holds, and with the next of the corpus. */
function probes(): Probe[] {
  let next = 0
  return callableRoutes().flatMap((called) =>
    textFields(called).flatMap(({ name, place }) =>
      ["a\0' or 1=1 --", CORPUS[next++ % CORPUS.length]!].map((text) => ({ called, name, place, text })),
    ),
  )
}

let team: Team
beforeAll(async () => {
  team = await startTeam()
  for (const name of ['one', 'two']) await team.call('POST', '/api/v1/datasets', { name })
})
afterAll(() => team?.server.stop())

/** A lone surrogate cannot be percent-encoded; everything else goes into a path as it is. */
const encodable = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')

async function send({ called, name, place, text }: Probe) {
  const isPath = place !== 'body'
  const request = generateRequest(called, (field) => {
    if (field.name === name && field.place === place) return isPath ? encodable(text) : text
    return undefined
  })
  const answer =
    request.body === undefined
      ? await rawRequest(team.url, { method: request.method, path: request.path, headers: team.keys.admin })
      : await rawJson(team.url, request.method, request.path, request.body, team.keys.admin)
  return { request, answer }
}

/** What a route refuses on purpose with a server error of its own: a service that is not set up. */
const ALLOWED_ERRORS: readonly number[] = [501, 503]

describe('text that would be code in a store', () => {
  it('is data in every text field of every route', { timeout: 300_000 }, async () => {
    const sent = probes()
    expect(sent.length).toBeGreaterThan(1_000)
    const lines = await inParallel(sent, 8, async (probe) => {
      const { request, answer } = await send(probe)
      const where = `${request.method} ${probe.called.template} ${probe.place} ${probe.name}=${JSON.stringify(probe.text.slice(0, 60))}`
      if (answer.status >= 500 && !ALLOWED_ERRORS.includes(answer.status))
        return `${where}: ${answer.status} ${answer.text.slice(0, 200)}`
      // What was sent may be repeated in a message.
      const ownText = answer.text.replaceAll(JSON.stringify(probe.text).slice(1, -1), '').replaceAll(probe.text, '')
      const leaked = answer.status >= 400 ? ENGINE_TEXT.exec(ownText) : null
      return leaked ? `${where}: ${answer.status} tells ${leaked[0]}: ${answer.text.slice(0, 300)}` : undefined
    })
    expect(lines.filter((line) => line !== undefined)).toEqual([])
  })

  it('leaves the server as it was', async () => {
    const datasets = await team.call<{ name: string }[]>('GET', '/api/v1/datasets?limit=100')
    expect(datasets.map(({ name }) => name)).toEqual(expect.arrayContaining(['one', 'two']))
    expect(await team.call('GET', '/api/v1/settings')).not.toHaveProperty('polluted')
    expect(await team.call('GET', '/api/v1/info')).not.toHaveProperty('polluted')
  })
})

describe('keys that mean something to JavaScript', () => {
  const prototype = '{"__proto__":{"polluted":"yes","role":"admin"},"constructor":{"prototype":{"polluted":"yes"}}'

  it('stay keys in every JSON body', async () => {
    const bodies = callableRoutes().filter(({ body }) => body !== undefined)
    const failed = await inParallel(bodies, 8, async ({ route, template }) => {
      const path = template.replaceAll(/\{\w+\}/g, '01900000-0000-7000-8000-000000000000')
      const { status, text } = await rawRequest(team.url, {
        method: route.method,
        path,
        headers: { ...team.keys.admin, 'content-type': 'application/json' },
        body: `${prototype},"name":"polluting"}`,
      })
      return status >= 500 && !ALLOWED_ERRORS.includes(status)
        ? `${route.method} ${path}: ${status} ${text}`
        : undefined
    })
    expect(failed.filter((line) => line !== undefined)).toEqual([])
    const viewer = await rawJson(team.url, 'POST', '/api/v1/datasets', { name: 'a viewer wrote' }, team.keys.viewer)
    expect(viewer.status).toBe(403)
    // The name of the workspace may hold the word, since an earlier test sets it; no member may have that name.
    expect(Object.keys(await team.call<object>('GET', '/api/v1/settings'))).not.toContain('polluted')
  })
})
