import { describe, expect, it } from 'vitest'
import { printJson } from './exact-json.ts'
import { parsePythonLiteral } from './python-literal.ts'

describe('a literal of Python', () => {
  it.each([
    ["{'a': 1, 'b': [True, False, None], 'c': (1.5, -2)}", '{"a":1,"b":[true,false,null],"c":[1.5,-2]}'],
    ['{"it\'s": \'say "hi"\'}', '{"it\'s":"say \\"hi\\""}'],
    ["['a\\n\\x41\\u00e9\\U0001f916\\\\']", '["a\\nAé🤖\\\\"]'],
    ["{'id': 107505301260286111, 'cost': 1.5e-05}", '{"id":107505301260286111,"cost":0.000015}'],
    ['{}', '{}'],
    [' [ ] ', '[]'],
    ['[(1,), ()]', '[[1],[]]'],
    ["{1: 'a'}", '{"1":"a"}'],
  ])('is read: %s', (text, json) => expect(printJson(parsePythonLiteral(text))).toBe(json))

  it.each([
    'text',
    '(1)',
    "{'a': Usage(tokens=1)}",
    "{'a'}",
    "{'a': ",
    "['a",
    "['\\q']",
    '[1] 2',
    '['.repeat(1_000),
    "{'a': nan}",
  ])('is nothing else: %s', (text) => expect(parsePythonLiteral(text)).toBeUndefined())

  it('does not reach prototypes', () => {
    const value = parsePythonLiteral("{'__proto__': {'polluted': 1}}")
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
