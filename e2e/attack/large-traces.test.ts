import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, readRunText, send } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])
const field = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([tag, ...varint(content.length)]), content])

const START = Buffer.alloc(9, 0x39)
START.writeBigUInt64LE(1_793_534_400_000_000_000n, 1)

interface Span {
  readonly trace: Buffer
  readonly id: Buffer
  readonly parent?: Buffer | undefined
  readonly attributes?: Buffer
}

const aSpan = ({ trace, id, parent, attributes = Buffer.alloc(0) }: Span) =>
  field(
    0x12,
    Buffer.concat([
      field(0x0a, trace),
      field(0x12, id),
      ...(parent === undefined ? [] : [field(0x22, parent)]),
      field(0x2a, Buffer.from('step')),
      START,
      attributes,
    ]),
  )

/** The same attribute, many times. */
const attributes = (count: number) => Buffer.alloc(5 * count, Buffer.from([0x4a, 3, 0x0a, 1, 0x6b]))

async function exportSpans(spans: readonly Buffer[]): Promise<{ status: number; text: string }> {
  const body = field(0x0a, field(0x12, Buffer.concat(spans)))
  const headers = { 'content-type': 'application/x-protobuf' }
  const response = await fetch(`${server.url}/otel/v1/traces`, { method: 'POST', headers, body: new Uint8Array(body) })
  return { status: response.status, text: await response.text() }
}

/** Another client writes and reads runs while the request is answered. @returns how often it did so */
async function besideAnother<Result>(work: Promise<Result>): Promise<{ result: Result; rounds: number }> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  let rounds = 0
  do {
    const head = aRunHead()
    const stored = await send(`${server.url}/runs`, { method: 'POST', body: JSON.stringify(head) })
    expect(stored.status).toBe(202)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
    rounds++
  } while (!isDone)
  return { result: await done, rounds }
}

describe('S5: a request of OpenTelemetry', () => {
  it('with 90,000 spans of one trace is stored up to the limit, which the answer names', async () => {
    const trace = randomBytes(16)
    const spans = Array.from({ length: 90_000 }, () => aSpan({ trace, id: randomBytes(8) }))
    const { result } = await besideAnother(exportSpans(spans))
    expect(result.status).toBe(200)
    expect(result.text).toContain('80000 × its request has more than 10000 spans of one trace')
  }, 300_000)

  it('with a chain of 20,000 spans is stored up to the limit', async () => {
    const trace = randomBytes(16)
    const ids = Array.from({ length: 20_000 }, () => randomBytes(8))
    const spans = ids.map((id, at) => aSpan({ trace, id, parent: ids[at - 1] }))
    const { result } = await besideAnother(exportSpans(spans))
    expect(result.status).toBe(200)
    expect(result.text).toContain('10000 × its request has more than 10000 spans of one trace')
  }, 300_000)

  it.each([190_000, 2_000_000])('with a span of %i attributes is stored without it', async (count) => {
    const trace = randomBytes(16)
    const large = aSpan({ trace, id: randomBytes(8), attributes: attributes(count) })
    const { result } = await besideAnother(exportSpans([large, aSpan({ trace, id: randomBytes(8) })]))
    expect(result.status).toBe(200)
    expect(result.text).toContain('1 × it has more than 20000 attributes')
  })
})
