import { expect, it } from 'vitest'
import { jsonErrorPosition } from './json-position.ts'

it.each([
  ['{"a": }', 6],
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ['{a: 1}', 1],
  ['[1, 2', 5],
  ['[1 2]', 3],
  ['[01]', 2],
  ['{"a": "b\nc"}', 6],
  ["{'a': 1}", 1],
  ['{"a": 1}}', 8],
  ['{"a": [}', 7],
  ['nul', 0],
  ['', 0],
  ['{"a": NaN}', 6],
  ['{"a": "\\x"}', 6],
])('finds where %j stops being JSON', (text, position) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(jsonErrorPosition(text)).toBe(position)
})

it('reads valid text to its end, however deep', () => {
  const valid = `{"a": [1, -0.5e+3, true, null, "\\u00e9\\"", {}], "b": []} `
  expect(jsonErrorPosition(valid)).toBe(valid.length)
  expect(jsonErrorPosition('['.repeat(100_000))).toBe(100_000)
})
