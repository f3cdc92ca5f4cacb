import { describe, expect, it } from 'vitest'
import { findCloseWords } from './close-words.ts'

const FIELDS = ['name', 'type', 'latency', 'output', 'outputs', 'tokens', 'total_tokens', 'tag', 'is']

describe('words close to a mistyped one', () => {
  it.each([
    ['outptu', ['output', 'outputs']],
    ['Latensy', ['latency']],
    ['lat', ['latency']],
    ['tokns', ['tokens']],
    ['nmae', ['name']],
    ['types', ['type']],
    ['foo', []],
    ['customer', []],
  ])('of %s are %o', (typed, words) => expect(findCloseWords(typed, FIELDS)).toEqual(words))
})
