import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { FeedbackConfig, FeedbackIngestToken, TimeDelta } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface CreatePresignedFeedbackTokenOptions {
  /** An ISO time, or from now. @default 3 hours */
  expiration?: string | TimeDelta | undefined
  /** Recorded as the key's config when the key has none yet. */
  feedbackConfig?: FeedbackConfig | undefined
}

export class FeedbackTokenCalls extends Calls {
  /** A URL by which anyone can give feedback of one key on one run, without a key to the API, until it expires. */
  async createPresignedFeedbackToken(
    runId: string,
    feedbackKey: string,
    { expiration, feedbackConfig }: CreatePresignedFeedbackTokenOptions = {},
    options: CallOptions = {},
  ): Promise<FeedbackIngestToken> {
    assertUuid(runId)
    const token = await this.transport.call(routes.feedbackTokens.create, {
      body: {
        run_id: runId,
        feedback_key: feedbackKey,
        feedback_config: feedbackConfig,
        ...expiryOf(expiration),
      },
      doing: 'create presigned feedback token',
      ...options,
    })
    // A list of requests is answered by a list, one request by one token.
    return token as FeedbackIngestToken
  }

  /** Tokens of a run that have not expired, fetched a page at a time. */
  async *listPresignedFeedbackTokens(runId: string, options: CallOptions = {}): AsyncGenerator<FeedbackIngestToken> {
    assertUuid(runId)
    const doing = 'list presigned feedback tokens'
    const request = { query: { run_id: runId }, doing, ...options }
    yield* offsetPages(this.transport, routes.feedbackTokens.list, request)
  }

  /** Ends a token before its time; feedback that it gave stays. An extension of ours. */
  async revokePresignedFeedbackToken(tokenId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(tokenId)
    const doing = 'revoke presigned feedback token'
    await this.transport.send(routes.feedbackTokens.revoke, { params: { token: tokenId }, doing, ...options })
  }
}

function expiryOf(expiration: string | TimeDelta | undefined): { expires_at: string } | { expires_in: TimeDelta } {
  if (typeof expiration === 'string') return { expires_at: expiration }
  const { days, hours, minutes } = expiration ?? {}
  return { expires_in: days || hours || minutes ? { days, hours, minutes } : { hours: 3 } }
}
