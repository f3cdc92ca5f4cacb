import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.ts'

const toPosition = ([name, offset]: readonly unknown[]) =>
  typeof name === 'string' && typeof offset === 'number' ? { name, offset } : undefined

describe('a cursor', () => {
  it.each([
    ['a name', 3],
    ['日本 "quoted"', 0],
  ])('gives back %s and %d', (name, offset) => {
    const cursor = encodeCursor([name, offset])
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(decodeCursor(cursor, toPosition)).toEqual({ name, offset })
  })

  it.each([
    ['an empty text', ''],
    ['a text that is not JSON', 'nonsense'],
    ['JSON that is not a list', Buffer.from('{"name":"x"}').toString('base64url')],
    ['null', Buffer.from('null').toString('base64url')],
    ['a string', Buffer.from('"x1"').toString('base64url')],
    ['a cursor of another list', encodeCursor([3, 'a name'])],
  ])('is refused when it is %s', (_, text) => {
    expect(() => decodeCursor(text, toPosition)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})
