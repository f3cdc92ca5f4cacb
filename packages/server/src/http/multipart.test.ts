import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { parseMultipart, readBoundary, streamMultipart } from './multipart.ts'

const body = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.flatMap((line, at) => [...(at === 0 ? [] : [Buffer.from('\r\n')]), Buffer.from(line)]))

const names = (bytes: Buffer) =>
  parseMultipart(bytes, 'b').map((part) => [part.name, part.contentType, part.bytes.toString()])

describe('splitting a multipart body', () => {
  it('finds names, types without their length, and bytes', () => {
    const bytes = body(
      '--b',
      'Content-Disposition: form-data; name="post.1"',
      'Content-Type: application/json; length=2',
      '',
      '{}',
      '--b',
      'content-type: text/plain; charset=utf-8',
      'content-disposition: form-data; filename="x"; name=\'a\'',
      '',
      '',
      '--b--',
      '',
    )
    expect(names(bytes)).toEqual([
      ['post.1', 'application/json', '{}'],
      ["'a'", 'text/plain; charset=utf-8', ''],
    ])
  })

  it('keeps binary bytes that look like line breaks and dashes', () => {
    const bytes = Buffer.from([13, 10, 45, 45, 0, 255, 13, 10])
    const [part] = parseMultipart(body('--b', 'Content-Disposition: form-data; name="f"', '', bytes, '--b--'), 'b')
    expect(part!.bytes).toEqual(bytes)
  })

  it('skips everything before the first boundary', () => {
    expect(names(body('preamble', '--b', 'Content-Disposition: form-data; name="f"', '', 'x', '--b--'))).toHaveLength(1)
  })

  it('accepts a body without parts', () => {
    expect(parseMultipart(body('--b--', ''), 'b')).toEqual([])
  })

  it.each([
    ['another boundary', body('--c', 'Content-Disposition: form-data; name="f"', '', 'x', '--c--'), /boundary/],
    ['an end inside a part', body('--b', 'Content-Disposition: form-data; name="f"', '', 'half'), /ends inside part 1/],
    ['no name', body('--b', 'Content-Type: text/plain', '', 'x', '--b--'), /no name/],
    ['no end of headers', body('--b', 'Content-Disposition: form-data; name="f"', '--b--'), /end of headers/],
    [
      'an encoded part',
      body('--b', 'Content-Disposition: form-data; name="f"', 'Content-Encoding: gzip', '', 'x', '--b--'),
      /Content-Encoding/,
    ],
    ['nothing', Buffer.alloc(0), /boundary/],
  ])('explains the mistake in a body of %s', (_what, bytes, message) => {
    expect(() => parseMultipart(bytes, 'b')).toThrow(message)
  })

  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; boundary="a b"', 'a b'],
    ['Multipart/Form-Data;boundary=----X', '----X'],
  ])('reads the boundary of %s', (type, boundary) => {
    expect(readBoundary(type)).toBe(boundary)
  })

  it.each([[undefined], ['application/json'], ['multipart/form-data']])('refuses the content type %s', (type) => {
    expect(() => readBoundary(type)).toThrow(/multipart\/form-data/)
  })
})

const streamed = Buffer.from(
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
    const whole = parseMultipart(streamed, 'b').map(({ name, bytes }) => [name, bytes.toString()])
    expect(await partsOf(chunked(streamed, size))).toEqual(whole)
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
  ])('are refused where they are malformed: %j', async (text, message) => {
    for (const size of [1, 1000]) await expect(partsOf(chunked(Buffer.from(text), size))).rejects.toThrow(message)
  })

  it('are refused when one is too large, before it has arrived completely', async () => {
    await expect(partsOf(chunked(streamed, 10), 60)).rejects.toThrow(/Part 1 of the body exceeds 60 bytes/)
  })

  it('hold no more bytes than the parts read so far', async () => {
    const taken = { bytes: 0 }
    const parts = streamMultipart(aRequest(chunked(streamed, 10), taken), { maxPartBytes: 1000 })
    await parts.next()
    expect(taken.bytes).toBeLessThan(streamed.length / 2)
  })
})
