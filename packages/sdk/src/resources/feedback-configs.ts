import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { FeedbackCategory, FeedbackConfig, FeedbackConfigSchema, FeedbackKeyUsage } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

export interface CreateFeedbackConfigParams {
  feedbackKey: string
  feedbackConfig: FeedbackConfig
  /** When it is left out, a key that has a config keeps its direction; for a new key higher is better. */
  isLowerScoreBetter?: boolean | undefined
  /**
   * Creates the config that counts for the key in the whole workspace, beside the one that it may have. For admins.
   * @default false
   */
  isEnforced?: boolean | undefined
}

export interface ListFeedbackConfigsParams {
  feedbackKeys?: string[] | undefined
  nameContains?: string | undefined
  /** Every config of each key, deleted ones too, instead of one for each key. @default false */
  includeAllConfigs?: boolean | undefined
  /** Only enforced configs, or only others. */
  isEnforced?: boolean | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface FeedbackConfigChoice {
  /** Which config of the key. @default the enforced one, else the first, else the latest modified */
  configId?: string | undefined
}

/** What is left out stays as it is. */
export interface UpdateFeedbackConfigParams extends FeedbackConfigChoice {
  /** Replaces the whole config. */
  feedbackConfig?: FeedbackConfig | undefined
  /** Changes it for all configs of the key. */
  isLowerScoreBetter?: boolean | undefined
  /** What the change is based on: a ConflictError when a value is another one by now. An extension of ours. */
  expected?: { feedbackConfig?: FeedbackConfig | undefined; isLowerScoreBetter?: boolean | undefined } | undefined
}

export class FeedbackConfigCalls extends Calls {
  /** Defines the scores of a key. Repeating the same config is allowed; another config is rejected unless it is enforced. */
  async createFeedbackConfig(
    { feedbackKey, feedbackConfig, isLowerScoreBetter, isEnforced = false }: CreateFeedbackConfigParams,
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    return await this.transport.call(routes.feedbackConfigs.create, {
      body: {
        feedback_key: feedbackKey,
        feedback_config: feedbackConfig,
        is_lower_score_better: isLowerScoreBetter,
        is_enforced: isEnforced,
      },
      doing: `create feedback config ${feedbackKey}`,
      ...options,
    })
  }

  /** Configs by key, fetched a page at a time. */
  async *listFeedbackConfigs(
    { feedbackKeys, nameContains, includeAllConfigs, isEnforced, limit }: ListFeedbackConfigsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<FeedbackConfigSchema> {
    const query = {
      key: feedbackKeys,
      name_contains: nameContains,
      include_all_configs: includeAllConfigs,
      is_enforced: isEnforced,
    }
    const request = { query, doing: 'list feedback configs', ...options }
    yield* offsetPages(this.transport, routes.feedbackConfigs.list, request, { limit })
  }

  /** @throws NotFoundError when the key has no such config */
  async updateFeedbackConfig(
    feedbackKey: string,
    { feedbackConfig, isLowerScoreBetter, configId, expected }: UpdateFeedbackConfigParams,
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    const changes = {
      feedback_config: feedbackConfig,
      is_lower_score_better: isLowerScoreBetter,
      expected: expected && {
        feedback_config: expected.feedbackConfig,
        is_lower_score_better: expected.isLowerScoreBetter,
      },
    }
    return await change(this.transport, feedbackKey, { id: configId, ...changes }, options)
  }

  /** Adds categories to a categorical config. Neither their values nor their labels may exist already. */
  async addFeedbackCategories(
    feedbackKey: string,
    categories: FeedbackCategory[],
    { configId }: FeedbackConfigChoice = {},
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    return await change(this.transport, feedbackKey, { id: configId, add_categories: categories }, options)
  }

  /** Removes categories by their values; at least two must be left. Feedback that was given stays as it is. */
  async removeFeedbackCategories(
    feedbackKey: string,
    values: number[],
    { configId }: FeedbackConfigChoice = {},
    options: CallOptions = {},
  ): Promise<FeedbackConfigSchema> {
    return await change(this.transport, feedbackKey, { id: configId, remove_categories: values }, options)
  }

  /** Deletes all configs of a key, or with `configId` (and `undefined` as the key) one. Feedback of the key stays. */
  async deleteFeedbackConfig(
    feedbackKey: string | undefined,
    { configId, ...options }: FeedbackConfigChoice & CallOptions = {},
  ): Promise<void> {
    const doing = `delete feedback config ${configId ?? feedbackKey}`
    const query = { feedback_key: feedbackKey, id: configId }
    await this.transport.send(routes.feedbackConfigs.delete, { query, doing, ...options })
  }

  /** How often each key was given, most used first, at most 1,000 keys. An extension of ours. */
  async readFeedbackKeyUsage(options: CallOptions = {}): Promise<{ keys: FeedbackKeyUsage[]; has_more: boolean }> {
    return await this.transport.call(routes.feedbackConfigs.usage, { doing: 'count feedback by key', ...options })
  }
}

function change(
  transport: Transport,
  key: string,
  changes: object,
  options: CallOptions,
): Promise<FeedbackConfigSchema> {
  return transport.call(routes.feedbackConfigs.update, {
    body: { feedback_key: key, ...changes },
    doing: `update feedback config ${key}`,
    ...options,
  })
}
