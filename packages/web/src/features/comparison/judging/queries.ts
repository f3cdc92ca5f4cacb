import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { EvaluatorJob, EvaluatorJobWrite } from '@touchstone/sdk'
import { clientOf, EvaluatorJobCalls } from '@touchstone/sdk/api'
import { experimentQuery } from '#features/experiments/queries.ts'
import { connection } from '#lib/api/client.ts'
import { comparisonQuery } from '../queries.ts'

const client = clientOf(connection, EvaluatorJobCalls)

/** Jobs of a dataset that are looked at. */
const NEWEST = 20

export const evaluatorJobQuery = {
  all: () => ['evaluator-jobs'] as const,
  /** The newest jobs that judge experiments of a dataset; while one of them runs, they are read each second. */
  ofDataset: (datasetId: string) =>
    queryOptions({
      queryKey: [...evaluatorJobQuery.all(), 'of-dataset', datasetId],
      queryFn: async ({ signal }): Promise<EvaluatorJob[]> =>
        (await client.listEvaluatorJobs({ datasetId, limit: NEWEST }, { signal })).jobs,
      refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'RUNNING') ? 1_000 : false),
      meta: { quiet: true },
    }),
  /** What a job will need. Calls no model. */
  estimate: (job: EvaluatorJobWrite) =>
    queryOptions({
      queryKey: [...evaluatorJobQuery.all(), 'estimate', job],
      queryFn: ({ signal }) => client.estimateEvaluatorJob(job, { signal }),
      retry: false,
      // Scores may be added at any time.
      staleTime: 0,
      meta: { quiet: true },
    }),
}

export const evaluatorJobMutation = {
  create: (queryClient: QueryClient, datasetId: string) => ({
    mutationFn: (job: EvaluatorJobWrite) => client.createEvaluatorJob(job),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: evaluatorJobQuery.ofDataset(datasetId).queryKey }),
  }),
  change: (queryClient: QueryClient, { id, dataset_id }: Pick<EvaluatorJob, 'id' | 'dataset_id'>) => ({
    mutationFn: (action: 'pause' | 'resume' | 'stop'): Promise<EvaluatorJob> => {
      if (action === 'pause') return client.pauseEvaluatorJob(id)
      return action === 'resume' ? client.resumeEvaluatorJob(id) : client.stopEvaluatorJob(id)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: evaluatorJobQuery.ofDataset(dataset_id).queryKey }),
  }),
}

/** Call it when a job has ended: pages show its scores. */
export async function refreshScores(queryClient: QueryClient, datasetId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: comparisonQuery.ofDataset(datasetId) }),
    queryClient.invalidateQueries({ queryKey: experimentQuery.ofDataset(datasetId) }),
  ])
}
