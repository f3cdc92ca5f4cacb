import { queryOptions } from '@tanstack/react-query'
import { clientOf, ExperimentCalls } from '@touchstone/sdk/api'
import { toComparisonCells } from '#lib/experiments/comparison.ts'
import { connection } from './client.ts'
import { queryKeys } from './query-client.ts'

const client = clientOf(connection, ExperimentCalls)

export interface ComparisonView {
  readonly datasetId: string
  readonly experimentIds: readonly string[]
  readonly comparativeExperimentId?: string | undefined
}

export const comparisonQuery = {
  ofDataset: (datasetId: string) => [...queryKeys.datasets(), 'comparison', datasetId] as const,
  /** Runs and scores of the experiments in columns, without texts. */
  cells: ({ datasetId, experimentIds, comparativeExperimentId }: ComparisonView) =>
    queryOptions({
      queryKey: [...comparisonQuery.ofDataset(datasetId), 'cells', experimentIds, comparativeExperimentId],
      queryFn: async ({ signal }) =>
        toComparisonCells(
          await client.readExperimentCells(
            { datasetId, experimentIds: [...experimentIds], comparativeExperimentId },
            { signal },
          ),
        ),
      structuralSharing: false,
      staleTime: 30_000,
    }),
}
