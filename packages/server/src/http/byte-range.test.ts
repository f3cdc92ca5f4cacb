import { expect, it } from 'vitest'
import { parseByteRange } from './byte-range.ts'

it.each([
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=5-', { first: 5 }],
  ['Bytes = -4', { lastBytes: 4 }],
  ['bytes=-', undefined],
  ['bytes=9-3', undefined],
  ['bytes=0-1,4-5', undefined],
  ['items=0-9', undefined],
  ['bytes=a-b', undefined],
  [undefined, undefined],
])('reads %j as %j', (header, range) => {
  expect(parseByteRange(header)).toEqual(range)
})
