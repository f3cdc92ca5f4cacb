import { queryOptions } from '@tanstack/react-query'
import type { FeedbackConfigSchema } from '@touchstone/sdk'
import { client } from './client.ts'

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
