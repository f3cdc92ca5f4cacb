import { describe, expect, it } from 'vitest'
import { findNumberText, listFields } from './schema-form.ts'

const schema = {
  required: ['question'],
  properties: {
    question: { type: 'string', description: 'What the user asks' },
    level: { type: 'integer' },
    topic: { enum: ['auth', 'billing'] },
    done: { type: 'boolean' },
    turns: { type: 'array' },
  },
}
const kinds = (json: string, by: unknown = schema) => listFields(by, json).map(({ key, kind }) => `${key} ${kind}`)

describe('fields of a form', () => {
  it('are the properties of the schema, then the other keys', () => {
    expect(kinds('{"more": {"a": 1}, "level": 2}')).toEqual([
      'question text',
      'level number',
      'topic choice',
      'done boolean',
      'turns json',
      'more json',
    ])
    expect(listFields(schema, '{}')[0]).toEqual({
      key: 'question',
      kind: 'text',
      description: 'What the user asks',
      isRequired: true,
      options: [],
      value: undefined,
    })
  })

  it('show a value that does not fit as it is', () => {
    expect(kinds('{"level": "two", "topic": "other", "question": null}').slice(0, 3)).toEqual([
      'question json',
      'level text',
      'topic text',
    ])
  })

  it('follow the values where there is no schema', () => {
    expect(kinds('{"a": "x", "b": -1.5, "c": false, "d": null, "e": []}', null)).toEqual([
      'a text',
      'b number',
      'c boolean',
      'd json',
      'e json',
    ])
  })
})

it.each([
  ['12345678901234567890', '12345678901234567890'],
  [' 1.50 ', '1.50'],
  ['-2e3', '-2e3'],
  ['-', undefined],
  ['1.', undefined],
  ['', undefined],
])('the number %j is written as %s', (typed, text) => {
  expect(findNumberText(typed)).toBe(text)
})
