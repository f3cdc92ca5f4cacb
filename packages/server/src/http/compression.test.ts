import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { uuid7 } from '@touchstone/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'
import { compressAnswers } from './compression.ts'
import { etagMatches, setEtag } from './responses.ts'

interface Received {
  status: number | undefined
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Requests without `fetch`, which decompresses answers and hides their encoding. */
function request(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  return new Promise((resolve, reject) => {
    get(url, { headers, method }, (message) => {
      const { statusCode: status, headers: received } = message
      message.toArray().then((chunks) => resolve({ status, headers: received, body: Buffer.concat(chunks) }), reject)
    }).on('error', reject)
  })
}

const LONG = JSON.stringify({ rows: Array.from({ length: 500 }, (_, i) => ({ i, name: 'run' })) })
const BR = { 'accept-encoding': 'gzip, deflate, br, zstd' }
const GZIP = { 'accept-encoding': 'gzip, deflate' }

/** A server with an answer of every kind. */
function openServer(): FastifyInstance {
  const fastify = Fastify() as unknown as FastifyInstance
  compressAnswers(fastify)
  const answers = (path: string, type: string, payload: () => unknown) =>
    fastify.get(path, (_, reply) => reply.header('content-type', type).send(payload()))
  answers('/long', 'application/json', () => LONG)
  answers('/small', 'application/json', () => '{"ok":true}')
  answers('/bytes', 'text/csv; charset=utf-8', () => Buffer.from(LONG))
  answers('/problem', 'application/problem+json', () => LONG)
  answers('/image', 'image/png', () => Buffer.from(LONG))
  answers('/parquet', 'application/vnd.apache.parquet', () => Buffer.from(LONG))
  answers('/archive', 'application/gzip', () => Buffer.from(LONG))
  fastify.get('/file', (_, reply) =>
    reply
      .header('content-type', 'text/csv')
      .header('content-length', LONG.length)
      .send(Readable.from([LONG])),
  )
  fastify.get('/cookie', (_, reply) =>
    reply.header('content-type', 'application/json').header('set-cookie', 'a=b').send(LONG),
  )
  fastify.get('/tagged', (asked, reply) => {
    if (etagMatches(asked.headers['if-none-match'], setEtag(reply, 'v1'))) return reply.code(304).send()
    return reply.header('content-type', 'application/json').send(LONG)
  })
  fastify.get('/slow', (_, reply) =>
    reply.header('content-type', 'application/json').send(Readable.from(writeSlowly(['[1', ',2', ',3]']))),
  )
  fastify.get('/events', (_, reply) =>
    reply.header('content-type', 'text/event-stream').send(Readable.from(writeSlowly(['data: 1\n\n', 'data: 2\n\n']))),
  )
  fastify.get('/broken', (_, reply) =>
    reply.header('content-type', 'application/json').send(Readable.from(breakAfter(LONG))),
  )
  return fastify
}

const PAUSE_MS = 400

async function* writeSlowly(pieces: readonly string[]) {
  for (const [at, piece] of pieces.entries()) {
    // Pause: the client must see the piece before the next one exists.
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    yield piece
  }
}

async function* breakAfter(piece: string) {
  yield piece
  // Pause: the head must have left before the source breaks.
  await new Promise((resolve) => setTimeout(resolve, 100))
  throw new Error('the source broke')
}

describe('an answer', () => {
  let server: FastifyInstance
  let url: string
  beforeAll(async () => {
    server = openServer()
    await server.listen({ port: 0, host: '127.0.0.1' })
    url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it.each(['/long', '/bytes', '/problem'])('of text at %s is compressed as the client prefers', async (path) => {
    const br = await request(url + path, BR)
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(br.headers['content-length']).toBe(String(br.body.length))
    expect(br.body.length).toBeLessThan(LONG.length / 4)
    expect(brotliDecompressSync(br.body).toString()).toBe(LONG)

    const gzip = await request(url + path, GZIP)
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(LONG)

    const withoutBr = await request(url + path, { 'accept-encoding': 'br; q=0.0, *' })
    expect(withoutBr.headers['content-encoding']).toBe('gzip')

    for (const accepted of ['identity', 'br;q=0', 'zstd']) {
      const plain = await request(url + path, { 'accept-encoding': accepted })
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(LONG.length) })
      expect(plain.body.toString()).toBe(LONG)
    }
    expect((await request(url + path)).body.toString()).toBe(LONG)
  })

  it.each(['/small', '/image', '/parquet', '/archive', '/file', '/cookie', '/events'])(
    'at %s is sent as it is',
    async (path) => {
      const [plain, asked] = [await request(url + path), await request(url + path, BR)]
      expect(asked.headers['content-encoding']).toBeUndefined()
      expect(asked.headers['content-length']).toBe(plain.headers['content-length'])
      expect(asked.body).toEqual(plain.body)
    },
  )

  it('to a request of another site is not compressed, because its length could reveal a secret', async () => {
    const headers = { ...BR, 'sec-fetch-site': 'cross-site' }
    expect((await request(`${url}/long`, headers)).headers['content-encoding']).toBeUndefined()
    expect((await request(`${url}/long`, { ...BR, 'sec-fetch-site': 'same-origin' })).headers).toHaveProperty(
      'content-encoding',
    )
  })

  it('to HEAD has the headers of GET, and no length that GET would not have', async () => {
    const { status, headers, body } = await request(`${url}/long`, BR, 'HEAD')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(headers['content-length']).toBeUndefined()
    expect(body).toHaveLength(0)
    expect((await request(`${url}/long`, {}, 'HEAD')).headers['content-length']).toBe(String(LONG.length))
    expect((await request(`${url}/slow`, BR, 'HEAD')).headers['content-encoding']).toBe('br')
  })

  it('with an entity tag has a weak one when compressed, which 304 repeats', async () => {
    const { headers } = await request(`${url}/tagged`, BR)
    expect(headers).toMatchObject({ etag: 'W/"v1"', 'content-encoding': 'br' })
    expect(headers.vary).toBe('accept-encoding, x-api-key, authorization')
    expect((await request(`${url}/tagged`)).headers.etag).toBe('"v1"')

    const again = await request(`${url}/tagged`, { ...BR, 'if-none-match': 'W/"v1"' })
    expect(again).toMatchObject({ status: 304, headers: { etag: 'W/"v1"' } })
    expect(again.headers).not.toHaveProperty('content-encoding')
    expect((await request(`${url}/tagged`, { 'if-none-match': '"v1"' })).headers.etag).toBe('"v1"')
  })

  it.each([
    ['/slow', BR, 'br'],
    ['/slow', GZIP, 'gzip'],
    ['/events', BR, undefined],
  ] as const)('that is streamed at %s arrives piece by piece, for %j as %s', async (path, headers, encoding) => {
    const arrivals = await new Promise<number[]>((resolve, reject) => {
      const began = performance.now()
      get(url + path, { headers }, async (message) => {
        expect(message.headers['content-encoding']).toBe(encoding)
        const times: number[] = []
        message.on('data', () => times.push(performance.now() - began))
        message.on('end', () => resolve(times))
      }).on('error', reject)
    })
    expect(arrivals[0]).toBeLessThan(PAUSE_MS / 2)
    expect(arrivals.at(-1)).toBeGreaterThan(PAUSE_MS)
  })

  it('that breaks in the middle breaks the connection', async () => {
    await expect(request(`${url}/broken`, GZIP)).rejects.toThrow(/aborted|hang up/)
  })
})

describe('the server', () => {
  let app: StartedApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.close())

  it('compresses what is long, and leaves a short error as it is', async () => {
    const page = await request(`${app.url}/openapi.json`, GZIP)
    expect(page.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
    })
    const plain = await request(`${app.url}/openapi.json`)
    expect(gunzipSync(page.body)).toEqual(plain.body)
    expect((await request(`${app.url}/api/v1/runs/${uuid7()}`, GZIP)).headers['content-encoding']).toBeUndefined()
  })

  it('does not compress answers of routes that give out credentials', async () => {
    const created = await fetch(`${app.url}/api/v1/api-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...GZIP },
      body: JSON.stringify({ description: 'x'.repeat(1000) }),
    })
    expect(created.status).toBe(200)
    expect((await created.text()).length).toBeGreaterThan(1024)
    expect(created.headers.get('content-encoding')).toBeNull()
  })
})
