import { expect, it } from 'vitest'
import { findJsonProblem } from './scan-json.ts'

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
  expect(findJsonProblem(text)).toBe(position)
})

it('finds nothing in valid text, and the end of text that is cut off, however deep', () => {
  const valid = `{"a": [1, -0.5e+3, true, null, "\\u00e9\\"", {}], "b": []} `
  expect(findJsonProblem(valid)).toBeUndefined()
  expect(findJsonProblem('['.repeat(100_000))).toBe(100_000)
})
