import { describe, expect, it } from 'vitest'
import { findSyntaxProblem, indentJson, lineAt, locateValue, parseJson } from './locate-json.ts'

describe('a mistake in JSON', () => {
  it.each([
    ['{"a": 1 "b": 2}', '"b"', 'Expected , or }'],
    ['{"a": 1,}', '}', 'A comma is not allowed before }'],
    ['[1, 2,]', ']', 'A comma is not allowed before ]'],
    ["{'a': 1}", "'a'", 'Strings need double quotes'],
    ['{"a": True}', 'True', 'True is Python; JSON has true'],
    ['{"a": hello}', 'hello', 'hello is not a JSON value; a string needs double quotes'],
    ['{"a" 1}', '1', 'Expected : after the key'],
    ['{"a": 01}', '01', '01 is not a JSON value; a string needs double quotes'],
    ['{\f"a": 1}', '\f', '\f is not a JSON value; a string needs double quotes'],
    ['{} {}', '{', 'Nothing may follow the value'],
    ['[1}', '}', 'Expected , or ]'],
    ['{"a": "x\ny"}', '"x', 'The string has no closing quote on its line'],
    ['{"a": "C:\\dir"}', '"C:\\d', '\\d is not an escape of JSON; write \\\\ for \\'],
  ])('is found in %s', (text, marked, message) => {
    const problem = findSyntaxProblem(text)
    expect(problem?.message).toBe(message)
    expect(text.slice(problem?.from, problem?.to)).toBe(marked)
  })

  it.each(['', '  ', '{', '[1,', '{"a":', '"abc'])('is at the end of the incomplete text %j', (text) => {
    expect(findSyntaxProblem(text)?.message).toMatch(/ends too early|no closing quote/)
  })

  it('does not exist in JSON', () => {
    expect(findSyntaxProblem(' {"a": [1, -2.5e3, "\\u00e9", null, {}], "b": []} ')).toBeUndefined()
    expect(parseJson('[1]')).toEqual({ value: [1] })
  })

  it('is found in deeply nested lists without overflowing the stack', () => {
    expect(findSyntaxProblem(`${'['.repeat(200_000)}x`)?.message).toContain('x is not a JSON value')
  })
})

describe('locating a value', () => {
  const text = '{\n  "a": {"b": [10, {"c": "deep"}]},\n  "odd \\" key": 2,\n  "twice": 1,\n  "twice": 2\n}'
  const at = (...path: (string | number)[]) => {
    const { from, to } = locateValue(text, path)
    return text.slice(from, to)
  }

  it('follows keys and indices', () => {
    expect(at('a', 'b', 1, 'c')).toBe('"deep"')
    expect(at('a', 'b', '0')).toBe('10')
    expect(at('odd " key')).toBe('2')
    expect(at()).toBe(text)
  })

  it('stops at the last value that exists', () => {
    expect(at('a', 'missing', 'x')).toBe('{"b": [10, {"c": "deep"}]}')
  })

  it('takes the last of repeated keys', () => {
    const { from } = locateValue(text, ['twice'])
    expect(lineAt(text, from)).toBe(5)
  })
})

describe('indenting JSON', () => {
  it('keeps numbers, strings and keys as they are written', () => {
    const text = '{"n":12345678901234567890.10,"e":{},"l":[ ],"s":"a,b:{}","k":1,"k":[1,{"x":"\\u0041"}]}'
    expect(indentJson(text)).toBe(
      '{\n  "n": 12345678901234567890.10,\n  "e": {},\n  "l": [],\n  "s": "a,b:{}",\n  "k": 1,\n  "k": [\n    1,\n    {\n      "x": "\\u0041"\n    }\n  ]\n}',
    )
  })
})
