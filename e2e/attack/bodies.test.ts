import { gzipSync } from 'node:zlib'
import { allRoutes, mountedPaths } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longestSilence } from '../support/longest-silence.ts'
import { aRunHead, multipart, postMultipart, readRunText, send } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

/** Only what once took many seconds has to stay far below, on a busy machine too; `bench stall` measures the rest. */
const FAR_BELOW_MS = 2_000
const bomb = gzipSync(Buffer.alloc(104_000_000, '['), { level: 9 })

const post = (path: string, body: Buffer | string, headers: Record<string, string> = {}) =>
  send(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new Uint8Array(Buffer.from(body)),
  }).catch(() => ({ status: 413, text: 'the connection was closed while the body was sent' }))

const openRoutes = allRoutes().filter(({ access, method, body }) => access === 'public' && method !== 'GET' && body)

describe('B2: callers without credentials cannot block the server with a body', () => {
  it.each(openRoutes.map((route) => mountedPaths(route).at(-1)!))(
    'POST %s refuses 64 kB and a packed bomb',
    async (path) => {
      const at = path.replaceAll(/\{\w+\}/g, '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01')
      const { result, silenceMs } = await longestSilence(server.url, async () => [
        await post(at, Buffer.alloc(64 * 1024 + 1, '[')),
        await post(at, bomb, { 'content-encoding': 'gzip' }),
      ])

      // A token that opens nothing may be refused before the body is read.
      for (const { status } of result) expect([404, 413]).toContain(status)
      expect(silenceMs).toBeLessThan(FAR_BELOW_MS)
    },
  )

  it('names the limit of the route', async () => {
    const { status, text } = await post('/auth/login', Buffer.alloc(16 * 1024 + 1, '['))
    expect(status).toBe(413)
    expect(text).toContain('exceeds 16384 bytes')
  })

  it('refuses hundreds of thousands of empty zstd frames', async () => {
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, 0x01, 0x00, 0x00])
    const { result, silenceMs } = await longestSilence(server.url, async () => [
      await post('/auth/login', Buffer.alloc(500_000 * frame.length, frame), { 'content-encoding': 'zstd' }),
      await post('/runs/batch', Buffer.alloc(500_000 * frame.length, frame), { 'content-encoding': 'zstd' }),
    ])

    expect(result.map(({ status }) => status)).toEqual([413, 400])
    expect(result[1]!.text).toContain('more than 1000 frames')
    expect(silenceMs).toBeLessThan(FAR_BELOW_MS)
  })

  it('refuses a body that becomes more than a thousand times larger', async () => {
    const { status, text } = await post('/runs/batch', bomb, { 'content-encoding': 'gzip' })
    expect(status).toBe(413)
    expect(text).toContain('1000 times larger')
  })
})

describe('B11: large bodies of members', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`

  it.each([
    ['nested 1,000,000 deep', () => deep(999_990), 202],
    ['of 1,000,000 keys', () => keys(1_000_000), 202],
    ['of 19 MB of text', () => `"${'x'.repeat(19_000_000)}"`, 202],
  ])('a payload %s is stored', async (_, make, status) => {
    const head = aRunHead()
    const body = `{"post":[${JSON.stringify(head).slice(0, -1)},"inputs":{"a":${make()}}}]}`

    expect((await post('/runs/batch', body)).status).toBe(status)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
  })

  it('a field over 20 MB is refused by name in every form, and its neighbor is stored', async () => {
    const large = `{"a":"${'x'.repeat(21 * 1024 * 1024)}"}`
    const [head, neighbor, other] = [aRunHead(), aRunHead(), aRunHead()]
    const run = `${JSON.stringify(head).slice(0, -1)},"outputs":${large}}`

    const alone = await post('/runs', run)
    const patched = await send(`${server.url}/runs/${head.id}`, { method: 'PATCH', body: `{"outputs":${large}}` })
    const batch = await post('/runs/batch', `{"post":[${run},${JSON.stringify(neighbor)}]}`)
    const form = multipart([
      { name: `post.${head.id}`, body: JSON.stringify(head) },
      { name: `post.${head.id}.outputs`, body: large },
      { name: `post.${other.id}`, body: JSON.stringify(other) },
    ])
    const parts = await postMultipart(server.url, form)

    expect([alone.status, patched.status, batch.status, parts.status]).toEqual([413, 413, 202, 202])
    for (const { text } of [alone, patched, batch, parts]) expect(text).toContain('outputs has 2')
    expect((await readRunText(server.url, neighbor.id)).status).toBe(200)
    expect((await readRunText(server.url, other.id)).status).toBe(200)
    expect((await readRunText(server.url, head.id)).status).toBe(404)
  })

  it('refuses 100,000 parts, and part headers without an end', async () => {
    const part = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n'
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    const { result, silenceMs } = await longestSilence(server.url, async () => [
      await post('/runs/multipart', `${part.repeat(100_000)}--b--\r\n`, type),
      await post('/runs/multipart', `--b\r\nx: ${'a;name='.repeat(700_000)}\r\n\r\n1\r\n--b--\r\n`, type),
    ])

    expect(result.map(({ status }) => status)).toEqual([413, 400])
    expect(silenceMs).toBeLessThan(FAR_BELOW_MS)
  })
})
