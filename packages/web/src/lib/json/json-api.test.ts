import { describe, expect, it } from 'vitest'
import { createJsonApi } from './json-api.ts'

function printField(side: string, without: readonly string[]): string {
  const api = createJsonApi()
  const fields = api.load(new TextEncoder().encode(`{ "id": 1, "inputs": ${side} }`).buffer)
  const field = fields.find(({ key }) => key === 'inputs')
  return api.indentedText(field?.start ?? 0, field?.end ?? 0, without)
}

describe('the indented text of a field', () => {
  it.each([
    ['has all members', '{"a":1,"b":[2]}', [], '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}'],
    [
      'leaves members out',
      '{"messages":[{"a":1}], "k" : 12345678901234567890}',
      ['messages'],
      '{\n  "k": 12345678901234567890\n}',
    ],
    ['leaves a member with an escaped key out', '{"a\\u0062":1,"c":2.50}', ['ab'], '{\n  "c": 2.50\n}'],
    ['keeps members of inner objects', '{"a":1,"b":{"a":2}}', ['a'], '{\n  "b": {\n    "a": 2\n  }\n}'],
    ['is an empty object without members', '{"a":1}', ['a'], '{}'],
    ['may be a list', '[1]', ['a'], '[\n  1\n]'],
  ])('%s', (_, side, without, text) => {
    expect(printField(side, without)).toBe(text)
  })
})
