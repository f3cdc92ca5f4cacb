import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { parseMultipart } from './multipart.ts'
import { streamMultipart } from './stream-multipart.ts'

const body = Buffer.from(
  [
    '--b\r\nContent-Disposition: form-data; name="one"\r\nContent-Type: text/plain; length=3\r\n\r\nabc\r\n',
    '--b\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n',
    '--b\r\nContent-Disposition: form-data; name="like a boundary"\r\n\r\nx--b\r\n-\r\n--\r\n--a\r\n',
    '--b--\r\nepilogue',
  ].join(''),
)

function aRequest(chunks: readonly Buffer[], taken: { bytes: number } = { bytes: 0 }): FastifyRequest {
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    raw: Readable.from(chunks),
    bodyShare: { take: (bytes: number) => (taken.bytes += bytes) },
    server: { bodyPace: { graceMs: 10_000, minBytesPerSecond: 1_000 } },
  } as unknown as FastifyRequest
}

async function partsOf(chunks: readonly Buffer[], maxPartBytes = 1000) {
  const parts: [string, string][] = []
  for await (const { name, bytes } of streamMultipart(aRequest(chunks), { maxPartBytes })) {
    parts.push([name, bytes.toString()])
  }
  return parts
}

function chunked(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

describe('the parts of a multipart body as it arrives', () => {
  it.each([1, 2, 3, 5, 7, 16, 64, 1000])('are those of the whole, in chunks of %i bytes', async (size) => {
    const whole = parseMultipart(body, 'b').map(({ name, bytes }) => [name, bytes.toString()])
    expect(await partsOf(chunked(body, size))).toEqual(whole)
  })

  it('may be none', async () => {
    expect(await partsOf([Buffer.from('--b--\r\n')])).toEqual([])
  })

  it.each([
    ['--c--\r\n', /does not occur/],
    ['', /does not occur/],
    ['--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc', /inside part 1/],
    ['--b\r\nContent-Type: text/plain\r\n\r\nabc\r\n--b--', /no name/],
    ['--b\r\nnothing\r\n--b--', /no end of headers/],
  ])('are refused where they are malformed: %j', async (text, says) => {
    for (const size of [1, 1000]) await expect(partsOf(chunked(Buffer.from(text), size))).rejects.toThrow(says)
  })

  it('are refused when one is too large, before all of it has come', async () => {
    await expect(partsOf(chunked(body, 10), 60)).rejects.toThrow(/Part 1 of the body exceeds 60 bytes/)
  })

  it('hold no more than they were given', async () => {
    const taken = { bytes: 0 }
    const parts = streamMultipart(aRequest(chunked(body, 10), taken), { maxPartBytes: 1000 })
    await parts.next()
    expect(taken.bytes).toBeLessThan(body.length / 2)
  })
})
