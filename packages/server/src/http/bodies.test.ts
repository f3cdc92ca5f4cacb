import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'

const MiB = 1024 * 1024
let app: StartedApp
beforeAll(async () => {
  app = await startApp({
    config: { maxBytesInFlight: 8 * MiB, ingest: { ...readConfig([], {}).ingest, maxBodyBytes: 2 * MiB } },
  })
})
afterAll(() => app.close())

let names = 0
const aProject = () => JSON.stringify({ name: `project ${++names}`, description: 'word '.repeat(1000) })

async function post(body: Uint8Array | string, headers: Record<string, string> = {}, path = '/sessions') {
  const answer = await app.fetch(path, { method: 'POST', body: body as string, headers })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

/** A frame of raw blocks without a content size, as streaming senders write it. */
function zstdOf(text: string, windowDescriptor = 0x38): Buffer {
  const bytes = Buffer.from(text)
  const blocks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 1000) {
    const chunk = bytes.subarray(at, at + 1000)
    const header = Buffer.alloc(3)
    header.writeUIntLE((chunk.length << 3) | (at + 1000 >= bytes.length ? 1 : 0), 0, 3)
    blocks.push(header, chunk)
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, windowDescriptor]), ...blocks])
}

/** Blocks of 128 kB of one byte, four bytes each. */
function zstdBomb(bytes: number): Buffer {
  const count = Math.ceil(bytes / 131_072)
  const blocks = Array.from({ length: count }, (_, at) => {
    const block = Buffer.alloc(4)
    block.writeUIntLE((131_072 << 3) | (1 << 1) | (at === count - 1 ? 1 : 0), 0, 3)
    return block
  })
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), ...blocks])
}

const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])

describe('a body', () => {
  it.each([
    ['as it is', (text: string) => Buffer.from(text), 'identity'],
    ['in gzip', gzipSync, 'gzip'],
    [
      'in gzip of several members',
      (text: string) => Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]),
      'gzip',
    ],
    ['in deflate', deflateSync, 'deflate'],
    ['in deflate without header', deflateRawSync, 'deflate'],
    ['in zstd without content size', zstdOf, 'zstd'],
    [
      'in zstd of several frames',
      (text: string) => Buffer.concat([zstdOf(text.slice(0, 99)), skippable, zstdOf(text.slice(99))]),
      'zstd',
    ],
  ])('is read %s', async (_, encode, encoding) => {
    expect((await post(encode(aProject()), { 'content-encoding': encoding })).status).toBe(200)
  })

  it.each(['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'nonsense', 'a/b; =', ''])(
    'is read as JSON under the content type %j',
    async (type) => {
      expect((await post(aProject(), { 'content-type': type })).status).toBe(200)
    },
  )

  it('is read without a content type or length', async () => {
    const { port } = new URL(app.url)
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest({ port, path: '/api/v1/sessions/', method: 'POST' }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      request.on('error', reject)
      const text = aProject()
      request.write(text.slice(0, 10))
      request.end(text.slice(10))
    })
    expect(status).toBe(200)
  })

  it.each([
    ['cut gzip', gzipSync(Buffer.from(`{"name":"${'x'.repeat(5000)}"}`)).subarray(0, 30), 'gzip'],
    ['cut zstd', zstdOf(`{"name":"${'x'.repeat(5000)}"}`).subarray(0, 3000), 'zstd'],
    ['what is no gzip', Buffer.from('{}'), 'gzip'],
    ['what is no zstd', Buffer.from('{}{}{}{}{}{}{}{}{}'), 'zstd'],
    ['a damaged zstd block', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 0x2d, 0, 0, 1, 2, 3, 4, 5]), 'zstd'],
    ['a zstd window of gigabytes', zstdOf('{}', 0xff), 'zstd'],
    ['an unknown encoding', Buffer.from('{}'), 'br'],
  ])('is refused as %s', async (_, body, encoding) => {
    const answer = await post(body, { 'content-encoding': encoding })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatch(/decompress|not supported|not valid/)
  })

  it.each([
    ['large', Buffer.alloc(2 * MiB + 1, ' '), 'identity'],
    ['a gzip bomb', gzipSync(Buffer.alloc(200 * MiB)), 'gzip'],
    ['a zstd bomb', zstdBomb(4 * 1024 * MiB), 'zstd'],
  ])('is refused with 413 when %s, naming the limit', async (_, body, encoding) => {
    const before = process.memoryUsage().rss
    const answer = await post(body, { 'content-encoding': encoding })
    expect(answer.status).toBe(413)
    expect(answer.body.detail).toContain(`exceeds ${MiB} bytes; this is the limit of this route`)
    const ingested = await post(body, { 'content-encoding': encoding }, '/runs/batch')
    expect(ingested.status).toBe(413)
    expect(ingested.body.error).toContain('TOUCHSTONE_MAX_BODY_BYTES')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MiB)
  })

  it.each([
    ['{"name": }', /not valid JSON/],
    ['{"name":"x"', /not valid JSON/],
    [Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
  ])('is refused when it is no JSON: %s', async (body, message) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toMatch(message)
  })

  it('names the invalid fields', async () => {
    const { status, body } = await post('{"name": 1}')
    expect(status).toBe(400)
    expect(body.detail).toEqual([{ loc: ['body', 'name'], msg: expect.any(String), type: expect.any(String) }])
    expect((await post('')).status).toBe(400)
    expect((await post('[]')).status).toBe(400)
    expect((await post('{"__proto__": {"name": "x"}}')).status).toBe(400)
  })

  it('nested 100,000 deep is a payload like any other', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect((await post(`{"name":"deep ${++names}","extra":{"metadata":{"a":${deep}}}}`)).status).toBe(200)
  })

  it('counts against one budget until the request ends', async () => {
    const held = Array.from({ length: 4 }, () => openUpload(app.url, 1_950_000))
    const tooMuch = Buffer.alloc(1.5 * MiB, ' ')
    const refused = () => post(tooMuch, {}, '/runs/batch')
    await expect.poll(async () => (await refused()).status, { timeout: 5000 }).toBe(429)
    expect((await refused()).headers.get('retry-after')).toBe('1')
    for (const abort of held) abort()
    await expect.poll(async () => (await post(aProject())).status).toBe(200)
  })
})

/** A request that never ends, until the function returned aborts it. */
function openUpload(url: string, bytes: number): () => void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST /runs/batch HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes + 10}\r\n\r\n`)
  socket.write(Buffer.alloc(bytes, ' '))
  return () => socket.destroy()
}

describe('an error', () => {
  it('has the form of its route and contains the request id', async () => {
    const forms = [
      ['GET', '/api/v1/nope', 404, { detail: 'Not Found: GET /api/v1/nope was not found' }],
      ['GET', '/sessions/0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01', 404, { detail: 'Session not found' }],
      ['POST', '/runs', 400, { error: expect.stringContaining('not valid JSON') }],
      ['GET', '/api/v2/nope', 404, { type: 'about:blank', title: 'Not Found', status: 404, instance: '/api/v2/nope' }],
      ['PUT', '/runs/multipart', 405, { detail: expect.stringContaining('does not answer PUT') }],
    ] as const
    for (const [method, path, status, body] of forms) {
      const answer = await app.fetch(path, { method })
      const said = (await answer.json()) as { request_id: string }
      expect([path, answer.status]).toEqual([path, status])
      expect(said).toMatchObject(body)
      expect(said.request_id).toBe(answer.headers.get('x-request-id'))
    }
  })

  it('of the server itself is logged and not shown to the client', async () => {
    const relational = { ...app.deps.relational }
    const broken = await startApp({ ...app.deps, relational, config: app.deps.config })
    const [project] = (await broken.call(contract.projects.list)).body
    relational.transaction = () => Promise.reject(new Error('secret detail'))
    const answer = await broken.call(contract.projects.delete, { params: { session_id: project!.id } })
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('secret')
    await broken.close()
  })

  it('answers a path that cannot be decoded', async () => {
    expect((await app.fetch('/sessions/%E0%A4%A')).status).toBe(400)
  })
})

it('answers at every alias, with a slash or an empty query at the end', async () => {
  for (const path of [
    '/settings',
    '/v1/settings',
    '/api/settings',
    '/api/v1/settings',
    '/settings/',
    '/settings?',
    '//settings',
  ]) {
    expect([path, (await app.fetch(path)).status]).toEqual([path, 200])
  }
  expect((await app.call(contract.info.ok)).body).toEqual({ ok: true })
})

it('counts requests by template', async () => {
  await app.fetch('/sessions/0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01')
  const text = await (await app.fetch('/metrics')).text()
  expect(text).toMatch(
    /touchstone_http_request_seconds_count\{method="GET",route="\/sessions\/\{session_id\}",status="404"\} \d/,
  )
})
