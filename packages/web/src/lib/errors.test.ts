import { APIConnectionError, NotFoundError } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeFailure, parseRefusal } from './errors.ts'

const failed = (body: unknown) =>
  new Error(`Failed to save. Received status [400]: Bad Request. Message: ${JSON.stringify(body)}`)

describe('messages of a rejected form', () => {
  it('are listed by field when the response names fields', () => {
    const detail = [
      { loc: ['body', 'feedback_key'], msg: 'is too long', type: 'too_big' },
      { loc: ['body', 'feedback_config', 'categories', 0, 'label'], msg: 'is empty', type: 'too_small' },
    ]
    expect(parseRefusal(failed({ detail }))).toEqual({
      sentence: undefined,
      fields: { feedback_key: 'is too long', 'feedback_config.categories.0.label': 'is empty' },
    })
  })

  it('are one sentence when the response names no field', () => {
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

describe('describe a failure', () => {
  it('shows the message of the server with status and request id', () => {
    const facts = { status: 404, requestId: 'r1' }
    const failure = describeFailure(new NotFoundError('Failed to read it. Message: {"detail":"Run not found"}', facts))
    expect(failure).toEqual({ message: 'Run not found', ...facts })
  })

  it.each([new APIConnectionError('Failed to read it. No answer from /'), new TypeError('Failed to fetch')])(
    'explains that no response arrived: %s',
    (error) => expect(describeFailure(error).message).toMatch(/^The server is not responding\./),
  )

  it('shows any other value as text', () => {
    expect(describeFailure('broken')).toEqual({ message: 'broken' })
  })
})
