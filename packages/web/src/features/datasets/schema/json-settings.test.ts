import { describe, expect, it } from 'vitest'
import { checkSetting, printSetting, readSetting } from './json-settings.ts'

describe('a JSON setting of a dataset', () => {
  it('is printed for an editor, and empty when there is none', () => {
    expect(printSetting({ type: 'object' })).toBe('{\n  "type": "object"\n}')
    expect(printSetting(null)).toBe('')
    expect(printSetting(undefined)).toBe('')
  })

  it.each([
    ['{"a": 1}', { value: { a: 1 } }],
    ['  ', { value: null }],
    ['{"__proto__": 1}', { value: JSON.parse('{"__proto__": 1}') }],
  ])('reads %j', (text, expected) => {
    expect(readSetting(text)).toEqual(expected)
  })

  it.each(['[1]', 'null', '3', '"text"'])('refuses %s', (text) => {
    expect(checkSetting(text)).toEqual([{ from: 0, to: text.length, message: 'Must be a JSON object, {…}.' }])
  })

  it('reports mistakes of syntax', () => {
    expect(checkSetting('{"a": }')).toHaveLength(1)
    expect(checkSetting('{"a": 1}')).toEqual([])
  })
})
