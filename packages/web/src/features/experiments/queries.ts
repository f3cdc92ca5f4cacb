import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { KeyComparison, TracerSessionResult as Project } from '@touchstone/sdk'
import { clientOf, DatasetCalls, ExperimentCalls, ProjectCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { createBatches } from '#lib/batches.ts'

const client = clientOf(connection, ProjectCalls, DatasetCalls, ExperimentCalls)

const PAGE = 100
/** Most experiments of one request for statistics. */
const MAX_COMPARED = 10

/** Feedback key → comparison of an experiment with the baseline. */
export type Differences = ReadonlyMap<string, KeyComparison>

export interface DifferenceOptions {
  readonly datasetId: string
  readonly baselineId: string
  readonly experimentId: string
  /** Changes with the scores of the experiment, which is then compared again. */
  readonly revision: string
}

export const experimentQuery = {
  all: () => [...queryKeys.projects(), 'experiments'] as const,
  ofDataset: (datasetId: string) => [...experimentQuery.all(), datasetId] as const,
  /**
   * All experiments of a dataset with their figures, newest first, a hundred per page.
   *
   * @param filter  in the filter language of projects
   */
  list: (datasetId: string, filter: string | undefined) =>
    infiniteQueryOptions({
      queryKey: [...experimentQuery.ofDataset(datasetId), 'list', filter],
      queryFn: ({ pageParam: offset, signal }): Promise<Project[]> =>
        client.queryProjects(
          { reference_dataset: [datasetId], filter, include_stats: true, offset, limit: PAGE },
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: (page, pages) => (page.length === PAGE ? pages.length * PAGE : undefined),
    }),
  /**
   * The differences of one experiment to the baseline. Rows that come into view together are compared by one request.
   */
  differences: ({ datasetId, baselineId, experimentId, revision }: DifferenceOptions) =>
    queryOptions({
      queryKey: [...experimentQuery.ofDataset(datasetId), 'differences', baselineId, experimentId, revision],
      queryFn: async ({ signal }): Promise<Differences> =>
        (await differences.load(`${datasetId} ${baselineId} ${experimentId}`, signal)) ?? new Map(),
      staleTime: 5 * 60_000,
      placeholderData: (before) => before,
      meta: { quiet: true },
    }),
}

export interface StatisticsOptions {
  readonly datasetId: string
  readonly baselineId: string
  readonly experimentIds: readonly string[]
  readonly comparativeExperimentId?: string | undefined
  /** Changes with the scores of the experiments, which are then compared again. */
  readonly revision: string
  /** Token of the share link to read through, without credentials. */
  readonly share?: string | undefined
}

export const statisticsQuery = {
  /** All compared experiments against the baseline; p values are corrected over all of them. */
  compare: ({ revision, experimentIds, share, ...options }: StatisticsOptions) =>
    queryOptions({
      queryKey: [
        ...experimentQuery.ofDataset(options.datasetId),
        'statistics',
        options,
        experimentIds,
        revision,
        share,
      ],
      queryFn: async ({ signal }) => {
        const compared = { ...options, experimentIds: [...experimentIds] }
        if (share === undefined) return client.compareExperiments(compared, { signal })
        const { openDatasetLink } = await import('#features/datasets/sharing/public-datasets.ts')
        return openDatasetLink(share).compareExperiments(compared, { signal })
      },
      staleTime: 5 * 60_000,
      placeholderData: (before) => before,
      meta: { quiet: true },
    }),
}

const differences = createBatches<Differences>(readDifferences, { max: MAX_COMPARED, waitMs: 30 })

/** @param ids  dataset, baseline and experiment, separated by spaces */
async function readDifferences(ids: readonly string[]): Promise<ReadonlyMap<string, Differences>> {
  const found = new Map(ids.map((id) => [id, new Map<string, KeyComparison>()]))
  for (const pair of new Set(ids.map((id) => id.slice(0, id.lastIndexOf(' '))))) {
    const [datasetId = '', baselineId = ''] = pair.split(' ')
    const experimentIds = ids.filter((id) => id.startsWith(pair)).map((id) => id.slice(pair.length + 1))
    const { results } = await client.compareExperiments({ datasetId, baselineId, experimentIds })
    for (const result of results) found.get(`${pair} ${result.session_id}`)?.set(result.feedback_key, result)
  }
  return found
}

export const experimentMutation = {
  /**
   * Pins the baseline of a dataset; null unpins it. It is a field of the dataset on the server, so that colleagues see the
   * same deltas, and `failIf` of the SDK compares with it.
   */
  setBaseline: (datasetId: string) => ({
    mutationFn: (experimentId: string | null) =>
      client.updateDataset({ datasetId, baselineExperimentId: experimentId }),
  }),
}

/** Makes the experiments and everything that shows their names or numbers stale. */
export async function refreshExperiments(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKeys.projects() }),
    queryClient.invalidateQueries({ queryKey: queryKeys.datasets() }),
  ])
}
