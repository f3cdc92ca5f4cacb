import { describe, expect, it } from 'vitest'
import { getMember, parseExact, removeMember, setMember } from './edit-json.ts'

const json = '{"big": 12345678901234567890, "a": [1, 2], "x": "y"}'

describe('editing JSON text', () => {
  it('reads a member as it is written', () => {
    expect(getMember(json, 'big')).toBe('12345678901234567890')
    expect(getMember(json, 'missing')).toBeUndefined()
    expect(getMember('[1]', 'missing')).toBeUndefined()
  })

  it('replaces a member at its place and keeps the others', () => {
    expect(setMember(json, 'a', '"b"')).toBe('{\n  "big": 12345678901234567890,\n  "a": "b",\n  "x": "y"\n}')
  })

  it('adds a new member at the end', () => {
    expect(setMember('{}', 'odd "key"', '1')).toBe('{\n  "odd \\"key\\"": 1\n}')
  })

  it('removes a member', () => {
    expect(removeMember(json, 'a')).toBe('{\n  "big": 12345678901234567890,\n  "x": "y"\n}')
    expect(removeMember('{"a": 1}', 'a')).toBe('{}')
  })
})

describe('parsing exactly', () => {
  it('keeps values, and the digits of numbers where the engine can', () => {
    expect(parseExact('{"a": [1, -2.5, 1e3, "x", null, true]}')).toEqual({
      a: [1, -2.5, expect.anything(), 'x', null, true],
    })
    const printed = JSON.stringify(parseExact('[12345678901234567890, 1.10]'))
    const canKeep = 'rawJSON' in JSON
    expect(printed).toBe(canKeep ? '[12345678901234567890,1.10]' : '[12345678901234567000,1.1]')
  })
})
