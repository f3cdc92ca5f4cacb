import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawRequest } from './support/raw-request.ts'
import { converse } from './support/raw-socket.ts'
import { startTeam, type Team } from './support/start-team.ts'

let team: Team
beforeAll(async () => {
  team = await startTeam()
})
afterAll(() => team?.server.stop())

const request = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`

/** What a smuggled request would be: its 200 in the answers would mean that a body was read as a request. */
const SMUGGLED = request(['GET /ok HTTP/1.1', 'Host: 127.0.0.1'])

const POST = ['POST /api/v1/auth/login HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json']

/** Requests whose end two readers could see at different places. */
const AMBIGUOUS: Readonly<Record<string, string>> = {
  'Content-Length and Transfer-Encoding': request(
    [...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'Transfer-Encoding and Content-Length': request(
    [...POST, 'Transfer-Encoding: chunked', `Content-Length: ${SMUGGLED.length}`],
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'two lengths that differ': request([...POST, 'Content-Length: 2', 'Content-Length: 60'], `{}${SMUGGLED}`),
  'two lengths in one header': request([...POST, 'Content-Length: 2, 60'], `{}${SMUGGLED}`),
  'a length with a sign': request([...POST, 'Content-Length: +2'], `{}${SMUGGLED}`),
  'a negative length': request([...POST, 'Content-Length: -1'], SMUGGLED),
  'a length in hexadecimal': request([...POST, 'Content-Length: 0x2'], `{}${SMUGGLED}`),
  'a length of 20 digits': request([...POST, 'Content-Length: 18446744073709551617'], SMUGGLED),
  'an unknown coding': request([...POST, 'Transfer-Encoding: cow'], SMUGGLED),
  'chunked that is not last': request([...POST, 'Transfer-Encoding: chunked, identity'], `0\r\n\r\n${SMUGGLED}`),
  'chunked twice': request(
    [...POST, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'a coding after a vertical tab': request([...POST, 'Transfer-Encoding:\vchunked'], `0\r\n\r\n${SMUGGLED}`),
  'a space before the colon': request([...POST, 'Transfer-Encoding : chunked'], `0\r\n\r\n${SMUGGLED}`),
  'a folded header': request([...POST, 'Transfer-Encoding:', ' chunked'], `0\r\n\r\n${SMUGGLED}`),
  'a NUL in a header': request([...POST, 'X-Odd: a\0b', 'Content-Length: 2'], `{}${SMUGGLED}`),
  'a carriage return in a header': request([...POST, 'X-Odd: a\rContent-Length: 60'], SMUGGLED),
  'a chunk size with a sign': request([...POST, 'Transfer-Encoding: chunked'], `+2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  'a chunk size that is no number': request(
    [...POST, 'Transfer-Encoding: chunked'],
    `zz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a chunk size of 20 digits': request(
    [...POST, 'Transfer-Encoding: chunked'],
    `ffffffffffffffffff\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a chunk that is longer than its size': request(
    [...POST, 'Transfer-Encoding: chunked'],
    `1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'two Host headers': request(['GET /ok HTTP/1.1', 'Host: 127.0.0.1', 'Host: evil.example']),
  'two Host headers that agree': request(['GET /ok HTTP/1.1', 'Host: 127.0.0.1', 'Host: 127.0.0.1']),
  'no Host header': request(['GET /ok HTTP/1.1', 'Accept: */*']),
  'a header without a name': request(['GET /ok HTTP/1.1', 'Host: 127.0.0.1', ': value']),
  'a space in the path': request(['GET /o k HTTP/1.1', 'Host: 127.0.0.1']),
  'a line break inside the request line': 'GET /ok\nHTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'another protocol': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'HTTP/2 without a negotiation': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
}

describe('a request that can be read in two ways', () => {
  it.each(Object.entries(AMBIGUOUS))('is refused with 400: %s', async (_name, bytes) => {
    // Once a request has been refused, waiting for a second answer would only wait for the idle time of the connection.
    const { statuses } = await converse(team.url, bytes, (seen) => seen.length > 0 && seen.at(-1) !== 100)
    expect(statuses).toEqual([400])
  })

  it('leaves nothing behind for the next request of the connection', async () => {
    const complete = request([...POST, 'Content-Length: 2'], '{}')
    const { statuses } = await converse(team.url, complete + SMUGGLED, (seen) => seen.length === 2)
    expect(statuses).toEqual([400, 200])
  })
})

describe('a request that is too long', () => {
  const get = (path: string, ...headers: string[]) => request([`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers])
  const manyHeaders = Array.from({ length: 3_000 }, (_, at) => `X-Odd-${at}: a`)

  it.each([
    ['one header of 100 kB', get('/api/v1/sessions', `X-Odd: ${'a'.repeat(100_000)}`), 431],
    ['3,000 headers', get('/api/v1/sessions', ...manyHeaders), 431],
    ['a path of 100 kB', get(`/api/v1/sessions/${'a'.repeat(100_000)}`), 431],
    ['a key of 15 kB', get('/api/v1/sessions', `X-Api-Key: ${'a'.repeat(15_000)}`), 401],
    ['a cookie of 15 kB', get('/api/v1/sessions', `Cookie: ${'a=b;'.repeat(3_750)}`), 401],
    ['a parameter of 5 kB', get(`/api/v1/sessions/${'a'.repeat(5_000)}`), 400],
  ])('is refused: %s', async (_name, bytes, status) => {
    const { statuses, isClosed } = await converse(team.url, bytes, (seen) => seen.length > 0)
    // The server closes while the rest is still being sent, so the answer may be lost.
    if (statuses.length === 0 && status === 431) expect(isClosed).toBe(true)
    else expect(statuses).toEqual([status])
  })

  it('is read when it is long but legal', async () => {
    const path = `/api/v1/sessions?name=${'a'.repeat(1_000)}&name_contains=${'b'.repeat(1_000)}`
    expect((await rawRequest(team.url, { path, headers: team.keys.admin })).status).toBe(200)
  })
})

describe('a path or query that is not text', () => {
  it.each(['%00', '%ff', '%c0%af', '%ed%a0%80', '%f4%90%80%80', '%', '%2', '%zz', '%u0041', '\u00e9'.normalize()])(
    'is refused or not found, in the form of every other error: %s',
    async (odd) => {
      for (const path of [`/api/v1/sessions/${odd}`, `/api/v1/repos/-/${odd}`, `/api/v1/public/${odd}/run`]) {
        const bytes = request([`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `X-Api-Key: ${team.keys.admin['x-api-key']}`])
        const { statuses, text } = await converse(team.url, Buffer.from(bytes, 'latin1'), (seen) => seen.length > 0)
        expect({ path, statuses }).toEqual({ path, statuses: [expect.toSatisfy((at) => [400, 404, 422].includes(at))] })
        // The parser answers itself when the request line is no HTTP; whatever was read as HTTP gets our own answer.
        if (/^%/.test(odd)) expect(text).toMatch(/x-content-type-options: nosniff[\s\S]*"request_id"/)
      }
    },
  )

  it.each(['%00', '%ff', '%ed%a0%80', '%'])('in a query is refused or finds nothing: %s', async (odd) => {
    for (const path of [`/api/v1/sessions?name=${odd}`, `/api/v1/sessions?id=${odd}`, `/api/v1/repos?query=${odd}`]) {
      const { status } = await rawRequest(team.url, { path, headers: team.keys.admin })
      expect({ path, status }).toEqual({ path, status: expect.toSatisfy((at) => [200, 400, 422].includes(at)) })
    }
  })
})
