import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { FeedbackConfig, FeedbackConfigSchema } from '@touchstone/sdk'
import { clientOf, FeedbackConfigCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, FeedbackConfigCalls)

export const feedbackConfigQuery = {
  /** What the scores of every key mean, by key. */
  list: () =>
    queryOptions({
      queryKey: ['feedback-configs'],
      queryFn: async ({ signal }): Promise<FeedbackConfigSchema[]> => {
        const configs: FeedbackConfigSchema[] = []
        for await (const config of client.listFeedbackConfigs({}, { signal })) configs.push(config)
        return configs
      },
      staleTime: 60_000,
    }),
}

export const feedbackKeyQuery = {
  /** How often each key was given, most used first, whether it has a config or not. */
  usage: () =>
    queryOptions({
      queryKey: ['feedback-configs', 'usage'],
      queryFn: ({ signal }) => client.readFeedbackKeyUsage({ signal }),
      staleTime: 30_000,
    }),
}

export interface FeedbackConfigWanted {
  key: string
  config: FeedbackConfig
  isLowerScoreBetter: boolean
}

export const feedbackConfigMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: ({ key, config, isLowerScoreBetter }: FeedbackConfigWanted) =>
      client.createFeedbackConfig({ feedbackKey: key, feedbackConfig: config, isLowerScoreBetter }),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: ({ key, config, isLowerScoreBetter }: FeedbackConfigWanted) =>
      client.updateFeedbackConfig(key, { feedbackConfig: config, isLowerScoreBetter }),
    onSuccess: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (key: string) => client.deleteFeedbackConfig(key),
    onSuccess: () => refresh(queryClient),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['feedback-configs'] })
}
