import { parseFilter, printFilter } from '@touchstone/contract/filter'
import { describe, expect, it } from 'vitest'
import { type JsonPath, toValueFilter } from './json-path.ts'

describe('filtering by a value', () => {
  it.each<[JsonPath, 'string' | 'number' | 'boolean', string, string]>([
    [
      ['inputs', 'messages', 0, 'content'],
      'string',
      'say "hi"',
      'and(eq(input_key, "messages.content"), eq(input_value, "say \\"hi\\""))',
    ],
    [['outputs', 'ok'], 'boolean', 'true', 'and(eq(output_key, "ok"), eq(output_value, true))'],
    [['extra', 'metadata', 'user', 'id'], 'number', '7', 'and(eq(metadata_key, "user.id"), eq(metadata_value, 7))'],
    [['tags', 2], 'string', 'prod', 'has(tags, "prod")'],
    [['name'], 'string', 'agent', 'eq(name, "agent")'],
  ])('asks for %j', (path, kind, text, expected) => {
    const printed = printFilter(toValueFilter(path, kind, text)!)
    expect(printed).toBe(expected)
    expect(() => parseFilter(printed)).not.toThrow()
  })

  it('returns undefined for containers, null, long texts and numbers that a float cannot hold', () => {
    expect(toValueFilter(['inputs', 'a'], 'object', '{}')).toBeUndefined()
    expect(toValueFilter(['inputs', 'a'], 'null', 'null')).toBeUndefined()
    expect(toValueFilter(['inputs', 'a'], 'string', 'x'.repeat(2000))).toBeUndefined()
    expect(toValueFilter(['inputs', 'a'], 'number', '12345678901234567890')).toBeUndefined()
    expect(toValueFilter(['serialized', 'a'], 'string', 'x')).toBeUndefined()
  })
})
