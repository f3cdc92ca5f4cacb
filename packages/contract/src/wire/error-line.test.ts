import { describe, expect, it } from 'vitest'
import { ERROR_LINE_LENGTH, splitError, toErrorLine } from './error-line.ts'

const FRAMES =
  '  File "/srv/app.py", line 3, in run\n    call()\n    ^^^^^^\n  File "/srv/lib.py", line 9, in call\n    raise'

describe('the message of an error', () => {
  it('follows the frames of Python and may have several lines', () => {
    const error = `ValidationError(2)\n\nTraceback (most recent call last):\n${FRAMES}\n\npydantic.ValidationError: 2 errors\norder\n  Field required\n`
    expect(splitError(error)).toEqual({
      message: 'pydantic.ValidationError: 2 errors\norder\n  Field required',
      stack: `Traceback (most recent call last):\n${FRAMES}`,
    })
  })

  it('is that of the last exception of a chain, and the frames are those of the whole chain', () => {
    const chain = `Traceback (most recent call last):\n${FRAMES}\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n${FRAMES}`
    expect(splitError(`${chain}\nRuntimeError: no order`)).toEqual({ message: 'RuntimeError: no order', stack: chain })
  })

  it('stands before the frames of JavaScript', () => {
    expect(splitError('Error: boom\nmore\n    at run (/app/a.ts:1:2)\n    at /app/b.ts:1:1')).toEqual({
      message: 'Error: boom\nmore',
      stack: '    at run (/app/a.ts:1:2)\n    at /app/b.ts:1:1',
    })
  })

  it('is the whole text where there is no stack trace', () => {
    expect(splitError('rate limit\n')).toEqual({ message: 'rate limit', stack: '' })
  })

  it('is the whole text where nothing stands before the frames', () => {
    const error = '\n    at run (a.ts:1)'
    expect(splitError(error)).toEqual({ message: error, stack: '' })
  })
})

describe('the line of an error', () => {
  it('is at most 300 characters and never half of one', () => {
    const line = toErrorLine('😀'.repeat(400))
    expect([...line]).toHaveLength(ERROR_LINE_LENGTH)
    expect(line.isWellFormed()).toBe(true)
    expect(toErrorLine('x'.repeat(5_000_000))).toBe('x'.repeat(ERROR_LINE_LENGTH))
  })

  it('is well-formed wherever a long text is cut', () => {
    expect(toErrorLine(`E${' '.repeat(2398)}😀`)).toBe('E 😀')
    for (const start of ['', 'x', ' x', 'x '.repeat(299), 'x'.repeat(299)]) {
      expect(toErrorLine(start + '😀'.repeat(2_000)).isWellFormed()).toBe(true)
    }
    expect(toErrorLine('a\ud83d b')).toBe('a\ufffd b')
  })

  it('takes milliseconds for texts that resemble stack traces', () => {
    const texts = ['\n  File "', '\n  | ', '\n    at ', '\n\n\n', ' \n+-', 'Error ', ' ', 'a b '].map((part) =>
      part.repeat(100_000),
    )
    const before = process.cpuUsage()
    for (const text of texts) toErrorLine(text)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
  })
})
