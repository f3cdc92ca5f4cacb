import type { CallOptions } from '../config/client-config.ts'
import type { FeedbackConfig, FeedbackConfigSchema, FeedbackKeyUsage } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface CreateFeedbackConfigParams {
  feedbackKey: string
  feedbackConfig: FeedbackConfig
  /** @default false */
  isLowerScoreBetter?: boolean | undefined
}

export interface ListFeedbackConfigsParams {
  feedbackKeys?: string[] | undefined
  nameContains?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

/** What is left out stays as it is. */
export interface UpdateFeedbackConfigParams {
  feedbackConfig?: FeedbackConfig | undefined
  isLowerScoreBetter?: boolean | undefined
}

export class FeedbackConfigCalls extends Calls {
  /** Says what the scores of a key mean; the same again is fine, another config for the key is refused. */
  async createFeedbackConfig(
    { feedbackKey, feedbackConfig, isLowerScoreBetter = false }: CreateFeedbackConfigParams,
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    return await this.transport.json({
      method: 'POST',
      path: '/feedback-configs',
      body: {
        feedback_key: feedbackKey,
        feedback_config: feedbackConfig,
        is_lower_score_better: isLowerScoreBetter,
      },
      doing: `create feedback config ${feedbackKey}`,
      ...options,
    })
  }

  /** Configs by key, fetched a page at a time. */
  async *listFeedbackConfigs(
    { feedbackKeys, nameContains, limit }: ListFeedbackConfigsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<FeedbackConfigSchema> {
    const query = { key: feedbackKeys, name_contains: nameContains }
    const call = {
      method: 'GET',
      path: '/feedback-configs',
      query,
      doing: 'list feedback configs',
      ...options,
    } as const
    yield* offsetPages<FeedbackConfigSchema>(this.transport, call, { limit })
  }

  /** @throws NotFoundError when the key has no config */
  async updateFeedbackConfig(
    feedbackKey: string,
    { feedbackConfig, isLowerScoreBetter }: UpdateFeedbackConfigParams,
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    return await this.transport.json({
      method: 'PATCH',
      path: '/feedback-configs',
      body: {
        feedback_key: feedbackKey,
        feedback_config: feedbackConfig,
        is_lower_score_better: isLowerScoreBetter,
      },
      doing: `update feedback config ${feedbackKey}`,
      ...options,
    })
  }

  /** Feedback of the key stays. */
  async deleteFeedbackConfig(feedbackKey: string, options: CallOptions = {}): Promise<void> {
    const doing = `delete feedback config ${feedbackKey}`
    const query = { feedback_key: feedbackKey }
    await this.transport.send({ method: 'DELETE', path: '/feedback-configs', query, doing, ...options })
  }

  /** How often each key was given, most used first, at most 1,000 keys. An extension of ours. */
  async readFeedbackKeyUsage(options: CallOptions = {}): Promise<{ keys: FeedbackKeyUsage[]; has_more: boolean }> {
    const path = '/feedback-configs/usage'
    return await this.transport.json({ method: 'GET', path, doing: 'count feedback by key', ...options })
  }
}
