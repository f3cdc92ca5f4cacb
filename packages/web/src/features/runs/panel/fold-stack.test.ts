import { describe, expect, it } from 'vitest'
import { foldStack } from './fold-stack.ts'

describe('splitting an error', () => {
  it('separates own JavaScript frames from library frames', () => {
    const { message, groups } = foldStack(
      'Error: boom\nmore\n    at mine (/app/a.ts:1:2)\n    at lib (/app/node_modules/x/y.js:3:4)\n    at node:internal/process:1\n    at main (/app/b.ts:1:1)',
    )
    expect(message).toBe('Error: boom\nmore')
    expect(groups.map(({ isLibrary, lines }) => [isLibrary, lines.length])).toEqual([
      [false, 1],
      [true, 2],
      [false, 1],
    ])
  })

  it('reads a Python traceback from its end', () => {
    const { message, groups } = foldStack(
      'ValueError("no")\n\nTraceback (most recent call last):\n  File "/srv/app.py", line 3, in run\n    call()\n  File "/usr/lib/python3.11/site-packages/x.py", line 9, in call\n    raise ValueError("no")\n\nValueError: no',
    )
    expect(message).toBe('ValueError: no')
    expect(groups.map(({ isLibrary }) => isLibrary)).toEqual([false, true])
  })

  it('takes a bare message as it is', () => {
    expect(foldStack('rate limit')).toEqual({ message: 'rate limit', groups: [] })
  })
})
