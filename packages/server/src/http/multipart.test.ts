import { describe, expect, it } from 'vitest'
import { parseMultipart, readBoundary } from './multipart.ts'

const body = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.flatMap((line, at) => [...(at === 0 ? [] : [Buffer.from('\r\n')]), Buffer.from(line)]))

const names = (bytes: Buffer) =>
  parseMultipart(bytes, 'b').map((part) => [part.name, part.contentType, part.bytes.toString()])

describe('cutting a multipart body', () => {
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

  it('skips what stands before the first boundary', () => {
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
  ])('says what is wrong with a body of %s', (_what, bytes, message) => {
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
