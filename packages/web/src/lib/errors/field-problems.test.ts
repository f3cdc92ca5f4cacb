import { describe, expect, it } from 'vitest'
import { parseRefusal } from './field-problems.ts'

const failed = (body: unknown) =>
  new Error(`Failed to save. Received status [400]: Bad Request. Message: ${JSON.stringify(body)}`)

describe('what a refusal says', () => {
  it('is told by field where it names fields', () => {
    const detail = [
      { loc: ['body', 'feedback_key'], msg: 'is too long', type: 'too_big' },
      { loc: ['body', 'feedback_config', 'categories', 0, 'label'], msg: 'is empty', type: 'too_small' },
    ]
    expect(parseRefusal(failed({ detail }))).toEqual({
      sentence: undefined,
      fields: { feedback_key: 'is too long', 'feedback_config.categories.0.label': 'is empty' },
    })
  })

  it('is a sentence where it names none', () => {
    expect(parseRefusal(failed({ detail: 'It exists already.' }))).toEqual({
      sentence: 'It exists already.',
      fields: {},
    })
    const query = [{ loc: ['query', 'limit'], msg: 'is no number', type: 'x' }]
    expect(parseRefusal(failed({ detail: query }))).toEqual({ sentence: 'query.limit is no number', fields: {} })
  })

  it.each([new Error('offline'), 'text', undefined, failed('no object'), failed({ detail: [null, 3] })])(
    'is nothing of ours in %s',
    (error) => {
      expect(parseRefusal(error)?.fields ?? {}).toEqual({})
    },
  )
})
