import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { FeedbackConfig, FeedbackConfigSchema } from '@touchstone/sdk'
import { clientOf, FeedbackConfigCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, FeedbackConfigCalls)

export const feedbackConfigQuery = {
  all: () => ['feedback-configs'] as const,
  /** The feedback configs of all keys. */
  list: () =>
    queryOptions({
      queryKey: [...feedbackConfigQuery.all(), 'list'],
      queryFn: async ({ signal }): Promise<FeedbackConfigSchema[]> => {
        const configs: FeedbackConfigSchema[] = []
        for await (const config of client.listFeedbackConfigs({}, { signal })) configs.push(config)
        return configs
      },
      staleTime: 60_000,
    }),
}

/** The config of a key as it is stored now. @throws Error when it was deleted */
export async function readFeedbackConfig(key: string): Promise<FeedbackConfigSchema> {
  for await (const config of client.listFeedbackConfigs({ feedbackKeys: [key] })) return config
  throw new Error('The configuration was deleted meanwhile.')
}

export const feedbackKeyQuery = {
  /** How often each key was used, most used first, with or without a config. */
  usage: () =>
    queryOptions({
      queryKey: [...feedbackConfigQuery.all(), 'usage'],
      queryFn: ({ signal }) => client.readFeedbackKeyUsage({ signal }),
      staleTime: 30_000,
    }),
}

export interface FeedbackConfigInput {
  key: string
  config: FeedbackConfig
  isLowerScoreBetter: boolean
}

export const feedbackConfigMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: ({ key, config, isLowerScoreBetter }: FeedbackConfigInput) =>
      client.createFeedbackConfig({ feedbackKey: key, feedbackConfig: config, isLowerScoreBetter }),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    /** @param base  the config as it was read, which the change is based on */
    mutationFn: ({ key, config, isLowerScoreBetter, base }: FeedbackConfigInput & { base: FeedbackConfigSchema }) =>
      client.updateFeedbackConfig(key, {
        feedbackConfig: config,
        isLowerScoreBetter,
        expected: { feedbackConfig: base.feedback_config, isLowerScoreBetter: base.is_lower_score_better },
      }),
    onSuccess: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (key: string) => client.deleteFeedbackConfig(key),
    onSuccess: () => refresh(queryClient),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: feedbackConfigQuery.all() })
}
