import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { FeedbackConfig, FeedbackConfigSchema } from '@touchstone/sdk'
import { clientOf, FeedbackConfigCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

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
    mutationFn: ({ key, config, isLowerScoreBetter }: FeedbackConfigInput) =>
      client.updateFeedbackConfig(key, { feedbackConfig: config, isLowerScoreBetter }),
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
