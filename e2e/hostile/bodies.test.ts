import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, multipart, postMultipart, readRunText, send } from '../support/raw-ingest.ts'
import { inFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { gzipBomb, zstdBomb, zstdStored } from './bombs.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const MB = 1_000_000
const oneRun = (head = aRunHead()) => ({
  head,
  form: multipart([
    { name: `post.${head.id}`, body: JSON.stringify(head) },
    { name: `post.${head.id}.inputs`, body: '{"a":1}' },
  ]),
})

/** A refusal a person can act on: a client's error, as JSON, with a sentence. Never 404, which ends multipart for good. */
function expectRefused(answer: { status: number; text: string }, statuses: readonly number[] = [400, 413, 415, 422]) {
  expect(statuses).toContain(answer.status)
  const body = JSON.parse(answer.text) as { error?: string; detail?: unknown }
  expect(JSON.stringify(body.error ?? body.detail ?? '').length).toBeGreaterThan(15)
}

async function expectStanding() {
  const { head, form } = oneRun()
  expect((await postMultipart(server.url, form)).status).toBe(202)
  expect((await readRunText(server.url, head.id)).status).toBe(200)
}

describe('packed bodies', () => {
  it('are read with gzip and with zstd frames that do not name their size', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['zstd', zstdStored],
    ] as const) {
      const { head, form } = oneRun()

      const answer = await postMultipart(
        server.url,
        { ...form, body: pack(form.body) },
        { 'content-encoding': encoding },
      )

      expect(answer.status, encoding).toBe(202)
      expect((await readRunText(server.url, head.id)).text).toContain('{"a":1}')
    }
  })

  it.each([
    ['gzip', () => gzipBomb(1500 * MB)],
    ['zstd', () => zstdBomb(8000 * MB)],
  ])('that explode (%s) are refused long before memory is', async (encoding, make) => {
    const bomb = make()
    const before = await server.residentBytes()

    for (const path of ['/runs/multipart', '/runs/batch', '/runs']) {
      const type = path.endsWith('multipart') ? 'multipart/form-data; boundary=b' : 'application/json'
      const headers = { 'content-type': type, 'content-encoding': encoding }
      const answer = await send(`${server.url}${path}`, { method: 'POST', headers, body: new Uint8Array(bomb) })
      expectRefused(answer, [413])
    }
    expect((await server.residentBytes()) - before).toBeLessThan(600 * MB)
    await expectStanding()
  })

  it.each([
    ['gzip', 'cut short', gzipSync(Buffer.alloc(10_000, 'x')).subarray(0, 30)],
    ['gzip', 'garbage', Buffer.from('this was never packed')],
    ['zstd', 'garbage', Buffer.from('this was never packed')],
    ['zstd', 'cut short', zstdStored(Buffer.alloc(10_000, 'x')).subarray(0, 500)],
    ['br', 'a packing we do not offer', Buffer.from('{}')],
  ])('in %s that are %s are refused', async (encoding, _, body) => {
    const answer = await postMultipart(
      server.url,
      { contentType: 'multipart/form-data; boundary=b', body },
      { 'content-encoding': encoding },
    )

    expectRefused(answer)
    await expectStanding()
  })
})

describe('multipart bodies', () => {
  it.each([
    ['cut inside a part', (body: Buffer) => body.subarray(0, body.length - 30)],
    ['cut inside a header', (body: Buffer) => body.subarray(0, 60)],
    ['empty', () => Buffer.alloc(0)],
    ['without any boundary', () => Buffer.from('{"post":[]}')],
  ])('that are %s are refused', async (_, cut) => {
    const { form } = oneRun()

    expectRefused(await postMultipart(server.url, { ...form, body: cut(form.body) }))
    await expectStanding()
  })

  it.each([
    ['another boundary than the body', 'multipart/form-data; boundary=other'],
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['JSON', 'application/json'],
    ['nonsense', ';;;'],
  ])('whose type names %s are refused, and not with 404', async (_, contentType) => {
    const { form } = oneRun()

    expectRefused(await postMultipart(server.url, { ...form, contentType }))
  })

  it('with a packed part are refused', async () => {
    const head = aRunHead()
    const form = multipart([
      { name: `post.${head.id}`, body: gzipSync(JSON.stringify(head)), headers: ['Content-Encoding: gzip'] },
    ])

    expectRefused(await postMultipart(server.url, form), [400])
  })

  it('with unknown parts store the known ones', async () => {
    const head = aRunHead()
    const form = multipart([
      { name: 'nonsense', body: '{}' },
      { name: `delete.${head.id}`, body: '{}' },
      { name: `post.${head.id}.unheard_of`, body: '{}' },
      { name: '../../etc/passwd', body: 'x', type: 'text/plain' },
      { name: `post.${head.id}`, body: JSON.stringify(head), type: 'application/json; length=7' },
    ])

    expect((await postMultipart(server.url, form)).status).toBe(202)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
  })

  it('whose boundary holds odd but legal signs are read', async () => {
    const head = aRunHead()
    const form = multipart([{ name: `post.${head.id}`, body: JSON.stringify(head) }], "a'()+_,-./:=?b")
    const quoted = form.contentType.replace(/boundary=(.*)$/, 'boundary="$1"')

    expect((await postMultipart(server.url, { ...form, contentType: quoted })).status).toBe(202)
  })

  it('that come in single bytes without a length are read', async () => {
    const { head, form } = oneRun()

    const status = await new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.url}/runs/multipart`,
        { method: 'POST', headers: { 'content-type': form.contentType, 'transfer-encoding': 'chunked' } },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      outgoing.once('error', reject)
      for (let at = 0; at < form.body.length; at++) outgoing.write(form.body.subarray(at, at + 1))
      outgoing.end()
    })

    expect(status).toBe(202)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
  })

  it('whose sender disconnects half way leave nothing behind and affect no other request', async () => {
    const { head, form } = oneRun()

    await new Promise<void>((resolve) => {
      const outgoing = request(`${server.url}/runs/multipart`, {
        method: 'POST',
        headers: { 'content-type': form.contentType, 'content-length': form.body.length },
      })
      outgoing.once('error', () => resolve())
      outgoing.write(form.body.subarray(0, form.body.length / 2), () => outgoing.destroy(new Error('hangs up')))
    })

    await expectStanding()
    expect((await readRunText(server.url, head.id)).status).toBe(404)
  })

  it('with one part too large refuse that one clearly and keep its neighbour or say that nothing was kept', async () => {
    const [head, neighbour] = [aRunHead(), aRunHead()]
    const form = multipart([
      { name: `post.${neighbour.id}`, body: JSON.stringify(neighbour) },
      { name: `post.${head.id}`, body: JSON.stringify(head) },
      { name: `post.${head.id}.inputs`, body: `{"s":"${'x'.repeat(30 * MB)}"}` },
    ])

    const answer = await postMultipart(server.url, form)

    if (answer.status === 202) {
      expect(answer.text).toContain(head.id)
      expect((await readRunText(server.url, neighbour.id)).status).toBe(200)
    } else {
      expectRefused(answer, [413])
    }
  })
})

describe('content types', () => {
  it.each([
    ['none', {}],
    ['text/plain, as a runtime adds it', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['application/json with parameters', { 'content-type': 'Application/JSON; charset="utf-8"; x=y' }],
    ['an unknown one', { 'content-type': 'application/x-what' }],
  ])('of a run as JSON may be %s', async (_, headers) => {
    const head = aRunHead()

    // A Blob without a type keeps fetch from adding one.
    const answer = await send(`${server.url}/runs`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: new Blob([JSON.stringify(head)]),
    })

    expect(answer.status).toBe(202)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
  })
})

describe('a flood', () => {
  it('of large bodies is answered in full or asked to wait, in bounded memory', async () => {
    const answers = await Promise.all(
      Array.from({ length: inFull(24, 48) }, () => {
        const head = aRunHead()
        const form = multipart([
          { name: `post.${head.id}`, body: JSON.stringify(head) },
          { name: `post.${head.id}.inputs`, body: `{"s":"${'flood '.repeat(1_500_000)}"}` },
        ])
        return postMultipart(server.url, form).then((answer) => ({ ...answer, id: head.id }))
      }),
    )

    for (const { status, headers, id } of answers) {
      expect([202, 429, 503]).toContain(status)
      if (status === 202) expect((await readRunText(server.url, id)).status).toBe(200)
      else expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(answers.some(({ status }) => status === 202)).toBe(true)
    expect(await server.residentBytes()).toBeLessThan(inFull(1_500, 2_500) * MB)
    await expectStanding()
  })
})
