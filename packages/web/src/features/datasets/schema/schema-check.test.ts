import { lineAt } from '@touchstone/formats/locate-json'
import { describe, expect, it } from 'vitest'
import { createSchemaCheck } from './schema-check.ts'

const schema = {
  type: 'object',
  required: ['question', 'topic'],
  additionalProperties: false,
  properties: {
    question: { type: 'string', minLength: 3 },
    topic: { enum: ['auth', 'billing'] },
    turns: { type: 'array', items: { type: 'object', properties: { 'a/b': { type: 'number' } } } },
  },
}

function check(value: string, by: unknown = schema) {
  return createSchemaCheck(by)(value).map(({ from, message }) => `${lineAt(value, from)} ${message}`)
}

describe('checking JSON against a schema', () => {
  it('accepts what fits, and everything without a schema', () => {
    expect(check('{"question": "Why?", "topic": "auth"}')).toEqual([])
    expect(check('{"anything": 1}', null)).toEqual([])
  })

  it('names a problem at the line of the value', () => {
    expect(check('{\n  "question": 1,\n  "topic": "auth"\n}')).toEqual([
      '2 Instance type "number" is invalid. Expected "string".',
    ])
    expect(
      check('{\n  "question": "Why?",\n  "topic": "auth",\n  "turns": [\n    {},\n    {"a/b": "x"}\n  ]\n}'),
    ).toEqual(['6 Instance type "string" is invalid. Expected "number".'])
  })

  it('names a missing key at its object and an extra key', () => {
    expect(check('{"question": "Why?"}')).toEqual(['1 Instance does not have required property "topic".'])
    expect(check('{\n"question": "Why?", "topic": "auth",\n"more": 1}')).toHaveLength(1)
  })

  it('ignores formats, as the server does', () => {
    const withFormats = {
      properties: {
        mail: { type: 'string', format: 'email' },
        format: { type: 'string' },
        days: { type: 'array', items: { format: 'date' } },
      },
    }
    expect(check('{"mail": "none", "days": ["some day"]}', withFormats)).toEqual([])
    expect(check('{"format": 1}', withFormats)).toHaveLength(1)
  })

  it('leaves to the server what it cannot check', () => {
    expect(check('{}', { $ref: 'https://api.smith.langchain.com/public/schemas/v1/message.json' })).toEqual([])
    expect(check('{"a": "x"}', { properties: { a: { pattern: '(' } } })).toEqual([])
  })
})
