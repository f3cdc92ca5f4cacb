import { queryOptions } from '@tanstack/react-query'
import { ApiKeyCalls, clientOf, DatasetCalls, FeedbackConfigCalls, ProjectCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, ApiKeyCalls, DatasetCalls, FeedbackConfigCalls, ProjectCalls)

export const firstStepsQuery = {
  /** Which of the first steps somebody in this workspace has taken. */
  taken: () =>
    queryOptions({
      queryKey: ['first-steps'],
      queryFn: async ({ signal }) => {
        const [keys, usage, datasets, experiments] = await Promise.all([
          client.listApiKeys({ signal }),
          client.readFeedbackKeyUsage({ signal }),
          client.queryDatasets({ limit: 1 }, { signal }),
          client.queryProjects({ filter: 'neq(reference_dataset_id, null)', limit: 1 }, { signal }),
        ])
        return {
          key: keys.length > 0,
          score: usage.keys.length > 0,
          dataset: datasets.length > 0,
          experiment: experiments.length > 0,
        }
      },
      meta: { quiet: true },
    }),
}
