import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  CreateDatasetOptions,
  Dataset,
  TracerSessionResult as Experiment,
  UpdateDatasetParams,
} from '@touchstone/sdk'
import { clientOf, DatasetCalls, ExampleCalls, ProjectCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'

const client = clientOf(connection, DatasetCalls, ExampleCalls, ProjectCalls)

const PAGE = 100

export const datasetQuery = {
  all: queryKeys.datasets,
  /** All datasets: the first page is one request, so that rows paint early, and the second page has all the rest. */
  list: () =>
    infiniteQueryOptions({
      queryKey: [...datasetQuery.all(), 'list'],
      queryFn: ({ pageParam: offset, signal }) => readDatasets(offset, signal),
      initialPageParam: 0,
      getNextPageParam: (page, pages) => (pages.length === 1 && page.length === PAGE ? PAGE : undefined),
    }),
  /** The first 20 datasets whose name contains the text, by name. */
  search: (text: string) =>
    queryOptions({
      queryKey: [...datasetQuery.all(), 'search', text],
      queryFn: ({ signal }) =>
        client.queryDatasets({ name_contains: text || undefined, sort_by: 'name', limit: 20 }, { signal }),
    }),
  one: (datasetId: string) =>
    queryOptions({
      queryKey: [...datasetQuery.all(), 'one', datasetId],
      queryFn: ({ signal }) => client.readDataset({ datasetId }, { signal }),
      staleTime: 60_000,
    }),
  /** Experiments with their figures, by id. */
  experiments: (ids: readonly string[]) =>
    queryOptions({
      queryKey: [...datasetQuery.all(), 'experiments', ids],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, Experiment>> => {
        const found: Experiment[] = []
        for (let from = 0; from < ids.length; from += PAGE) {
          const id = ids.slice(from, from + PAGE)
          found.push(...(await client.queryProjects({ id, limit: PAGE, include_stats: true }, { signal })))
        }
        return new Map(found.map((experiment) => [experiment.id, experiment]))
      },
      staleTime: 30_000,
    }),
}

async function readDatasets(offset: number, signal: AbortSignal): Promise<Dataset[]> {
  const found: Dataset[] = []
  do {
    const page = await client.queryDatasets({ offset: offset + found.length, limit: PAGE }, { signal })
    found.push(...page)
    if (page.length < PAGE) break
  } while (offset > 0)
  return found
}

/** A dataset from any loaded list, to show its name without a request. */
export function findCachedDataset(queryClient: QueryClient, datasetId: string): Dataset | undefined {
  const all = queryClient.getQueryData<InfiniteData<Dataset[]>>(datasetQuery.list().queryKey)?.pages.flat() ?? []
  const searches = queryClient.getQueriesData<Dataset[]>({ queryKey: [...datasetQuery.all(), 'search'] })
  return [...all, ...searches.flatMap(([, datasets]) => datasets ?? [])].find(({ id }) => id === datasetId)
}

export const readDatasetName = async (id: string): Promise<string> => (await client.readDataset({ datasetId: id })).name

export const datasetMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: ({ name, ...options }: CreateDatasetOptions & { name: string }) => client.createDataset(name, options),
    onSuccess: () => refreshDatasets(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    mutationFn: (change: UpdateDatasetParams & { datasetId: string }) => client.updateDataset(change),
    onSuccess: (dataset: Dataset) => {
      queryClient.setQueryData(datasetQuery.one(dataset.id).queryKey, dataset)
      return refreshDatasets(queryClient)
    },
    /** Others may have changed the dataset. */
    onError: () => refreshDatasets(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (datasetId: string) => client.deleteDataset({ datasetId }),
    onSettled: () => refreshDatasets(queryClient),
  }),
}

/** Makes all lists and contents of datasets stale. */
export function refreshDatasets(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: datasetQuery.all() })
}

export interface NewExample {
  /** Name of the dataset; created if there is none. */
  dataset: string
  split: string
  sourceRunId: string
  /** Absent: the run's own inputs and outputs, byte for byte, with its attachments. */
  content?: { inputs: Record<string, unknown>; outputs: Record<string, unknown> | null } | undefined
}

/** @returns ids of the dataset and of the example */
export async function addExample(queryClient: QueryClient, { dataset, split, sourceRunId, content }: NewExample) {
  const [found] = await client.queryDatasets({ name: dataset, limit: 1 })
  const { id } = found ?? (await client.createDataset(dataset))
  const example = await client.createExample({
    dataset_id: id,
    source_run_id: sourceRunId,
    split,
    ...(content ?? { use_source_run_io: true }),
  })
  void queryClient.invalidateQueries({ queryKey: datasetQuery.all() })
  return { datasetId: id, exampleId: example.id }
}
