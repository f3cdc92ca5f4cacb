import { APIConnectionError, NotFoundError } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeFailure } from './describe-failure.ts'

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
