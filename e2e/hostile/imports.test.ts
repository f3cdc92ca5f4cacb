import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { multipart, type Part, send } from '../support/raw-ingest.ts'
import { inFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { gzipBomb } from './bombs.ts'

const MB = 1_000_000
/** More than a file of a few megabytes needs, and less than a bomb. */
const MAX_GROWTH = 900 * MB
const SIZE = inFull(2, 20) * MB

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const repeat = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length))

/** Names of columns: 0,1,2… */
const manyNames = (bytes: number) => Array.from({ length: bytes / 8 }, (_, at) => at).join(',')

/** Files that are larger inside than they look, or that are nothing but faults. */
const BOMBS: readonly { readonly what: string; readonly name: string; readonly make: () => string | Buffer }[] = [
  { what: 'more rows than fit', name: 'rows.csv', make: () => `a\n${repeat('1\n', SIZE / 4)}` },
  { what: 'rows without an end', name: 'rows.csv', make: () => `a\n"${repeat('1,2\n', SIZE * 3)}` },
  { what: 'rows that do not fit the header', name: 'rows.csv', make: () => `a\n${repeat('1,2\n', SIZE)}` },
  { what: 'a header of millions of columns', name: 'rows.csv', make: () => `a${repeat(',b', SIZE)}\n1\n` },
  { what: 'a header of columns with different names', name: 'rows.csv', make: () => `${manyNames(SIZE)}\n1\n` },
  { what: 'millions of empty cells', name: 'rows.csv', make: () => `a\n${repeat(',', SIZE)}\n` },
  { what: 'quotes in quotes', name: 'rows.csv', make: () => `a\n${repeat('"a"b"\n', SIZE)}` },
  { what: 'more rows than fit', name: 'rows.jsonl', make: () => repeat('{"a":1}\n', SIZE) },
  { what: 'no JSON', name: 'rows.jsonl', make: () => repeat('x\n', SIZE) },
  { what: 'deep lists', name: 'rows.jsonl', make: () => `{"a":${'['.repeat(SIZE / 2)}${']'.repeat(SIZE / 2)}}` },
  { what: 'deep lists in short lines', name: 'rows.jsonl', make: () => repeat(`${'['.repeat(4_000)}\n`, SIZE) },
  { what: 'deep objects', name: 'rows.jsonl', make: () => `${repeat('{"a":', SIZE / 2)}1` },
  { what: 'a line without an end', name: 'rows.jsonl', make: () => `{"a":"${'x'.repeat(SIZE * 3)}` },
  { what: 'no UTF-8', name: 'rows.jsonl', make: () => Buffer.alloc(SIZE, 0xff) },
  {
    what: 'a column store file',
    name: 'rows.parquet',
    make: () => Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(SIZE, 0x80)]),
  },
]

let uploads = 0
async function upload(name: string, file: string | Buffer, headers: Record<string, string> = {}) {
  const dataset = `import ${uploads++}`
  const parts: Part[] = [
    { name: `file"; filename="${name}`, body: file, type: 'application/octet-stream' },
    { name: 'name', body: dataset, type: 'text/plain' },
    { name: 'input_keys', body: 'a', type: 'text/plain' },
  ]
  const { contentType, body } = multipart(parts)
  const packed = headers['content-encoding'] === 'gzip' ? gzipSync(body) : body
  const answer = await send(`${server.url}/api/v1/datasets/upload`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...headers },
    body: new Uint8Array(packed),
  })
  return { ...answer, dataset }
}

const countDatasets = async (name: string) =>
  (JSON.parse((await send(`${server.url}/api/v1/datasets?name=${encodeURIComponent(name)}`)).text) as unknown[]).length

/** A sentence, no longer than a screen, and nothing of the dataset. */
async function expectRefused(answer: { status: number; text: string; dataset: string }, what: string) {
  expect([400, 413], `${what}: ${answer.text.slice(0, 300)}`).toContain(answer.status)
  expect(answer.text.length, what).toBeLessThan(0.5 * MB)
  expect(answer.text, what).toMatch(/"detail"/)
  expect(await countDatasets(answer.dataset), what).toBe(0)
}

describe('a file that is a bomb', () => {
  it.each(BOMBS)(
    '$name of $what is refused as a whole, in bounded memory',
    { timeout: 120_000 },
    async ({ what, name, make }) => {
      const before = await server.residentBytes()
      for (const headers of inFull<object[]>([{}], [{}, { 'content-encoding': 'gzip' }])) {
        await expectRefused(await upload(name, make(), { ...headers }), what)
      }
      expect((await server.residentBytes()) - before, what).toBeLessThan(MAX_GROWTH)
    },
  )

  it('is refused before it is unpacked', async () => {
    const before = await server.residentBytes()
    const answer = await send(`${server.url}/api/v1/datasets/upload`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipBomb(1_500 * MB)),
    })
    expect(answer.status, answer.text).toBe(413)
    expect((await server.residentBytes()) - before).toBeLessThan(MAX_GROWTH)
  })

  it('leaves other requests their turn', async () => {
    let isOver = false
    const uploading = upload('rows.jsonl', repeat(' \n', SIZE)).finally(() => {
      isOver = true
    })
    let answered = 0
    while (!isOver) if ((await send(`${server.url}/ok`)).status === 200) answered++
    // Blank lines are no rows.
    expect([200, 400]).toContain((await uploading).status)
    expect(answered).toBeGreaterThan(10)
  })

  it('of JSON, an experiment, is refused as a whole', async () => {
    const deep = '['.repeat(100_000)
    const names = ['nested', 'many']
    const bodies = [
      `{"experiment_name":"nested","dataset_name":"nested","results":[{"inputs":{"a":${deep}`,
      `{"experiment_name":"many","dataset_name":"many","experiment_start_time":"2026-01-01T00:00:00Z","experiment_end_time":"2026-01-01T00:00:01Z","results":[${repeat('{},', SIZE)}{}]}`,
    ]
    for (const [at, body] of bodies.entries()) {
      const answer = await send(`${server.url}/api/v1/datasets/upload-experiment`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await expectRefused({ ...answer, dataset: names[at]! }, names[at]!)
    }
  })
})
